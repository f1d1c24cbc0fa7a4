import Bytes

/// Parses lifetimes in server responses.
package enum Lifetime {
    /// Longer lifetimes are cut to ten years.
    package static let longest: Int64 = 315_360_000

    /// A positive number, which some servers write as a string or with a fraction; parts of seconds do not count.
    package static func seconds(_ node: JSONNode) -> Int64? { whole(node).flatMap { $0 > 0 ? $0 : nil } }

    /// The lifetime that a token answer states. One of zero, by which some servers say that a token is for one request, is
    /// a second.
    package static func ofToken(_ node: JSONNode) -> Int64? { whole(node).map { max(1, $0) } }

    private static func whole(_ node: JSONNode) -> Int64? {
        switch node.value {
        case .number(let text), .string(let text): whole(text: text).map { min($0, longest) }
        default: nil
        }
    }

    /// The whole part of a number from zero on; nil for anything else.
    package static func whole(text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }),
            let number = parts.first.flatMap({ Decimal.parse(Array($0).span) })
        else { return nil }
        return Int64(number)
    }

    /// `1*DIGIT` only; nil for 0.
    package static func seconds(text: String) -> Int64? {
        guard let number = Decimal.parse(Array(text.utf8).span), number > 0 else { return nil }
        return min(Int64(number), longest)
    }
}

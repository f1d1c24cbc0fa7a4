import Bytes

/// Parses lifetimes in server responses.
package enum Lifetime {
    /// Longer lifetimes are cut to ten years.
    package static let longest: Int64 = 315_360_000

    /// A positive integer, which some servers write as a string.
    package static func seconds(_ node: JSONNode) -> Int64? {
        guard let number = node.integer ?? node.string.flatMap(seconds(text:)), number > 0 else { return nil }
        return min(number, longest)
    }

    /// `1*DIGIT` only; nil for 0.
    package static func seconds(text: String) -> Int64? {
        guard let number = Decimal.parse(Array(text.utf8).span), number > 0 else { return nil }
        return min(Int64(number), longest)
    }
}

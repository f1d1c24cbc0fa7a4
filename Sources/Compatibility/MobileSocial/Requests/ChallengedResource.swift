import Bytes
import HTTP
import Identity
import Model

/// The challenged resource that a client names: an absolute URL, or its part after the host (oam-wire 3.5). Equivalent
/// spellings are equal (RFC 3986 section 6.2.2).
struct ChallengedResource: Sendable {
    /// Scheme, host and port; nil if the text begins with the path.
    let origin: WebOrigin?
    private let target: Target
    private let length: Int

    /// Path and query in canonical form.
    private struct Target: Sendable {
        let path: [UInt8]
        let query: [UInt8]?

        /// Nil for an ambiguous path. One empty query is ignored, since a known client appends it.
        init?(_ text: ArraySlice<UInt8>) {
            let text = text.last == ChallengedResource.questionMark ? text.dropLast() : text
            let path = Array(text.prefix { $0 != ChallengedResource.questionMark })
            let scratch = Chunk(capacity: 3 * path.count + 1)
            switch CanonicalPath.canonicalise(path.span, keeping: .escapes, into: scratch) {
            case .unchanged: self.path = path
            case .rewritten:
                let bytes = scratch.readable
                var canonical: [UInt8] = []
                for i in bytes.indices { canonical.append(bytes[i]) }
                self.path = canonical
            case .ambiguous: return nil
            }
            query = path.count < text.count ? ChallengedResource.canonical(text.dropFirst(path.count + 1)) : nil
        }
    }

    private static let questionMark = UInt8(ascii: "?")
    /// Longest target that a challenge repeats with its query (CHAL-02).
    private static let longestRepeated = 2048

    /// Nil for other text and for an ambiguous path.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        if rest.first == ASCII.slash {
            origin = nil
        } else {
            guard let colon = bytes.firstIndex(of: ASCII.colon), bytes[colon...].starts(with: "://".utf8) else {
                return nil
            }
            rest = bytes[(colon + 3)...].drop { $0 != ASCII.slash && $0 != ChallengedResource.questionMark }
            guard let origin = try? WebOrigin(String(decoding: bytes[..<rest.startIndex], as: UTF8.self)) else {
                return nil
            }
            self.origin = origin
        }
        let whole = rest.first == ASCII.slash ? rest : [ASCII.slash] + rest
        guard let target = Target(whole) else { return nil }
        self.target = target
        length = whole.count
    }

    /// Whether it matches the challenge, apart from the origin.
    func isSame(as context: RequestContext) -> Bool {
        guard let challenged = Target(Array(context.target.utf8)[...]), challenged.path == target.path else {
            return false
        }
        if challenged.query == target.query { return true }
        // CHAL-02: the challenge of a long target has its path only.
        return challenged.query == nil && length > ChallengedResource.longestRepeated
    }

    /// Decodes escapes of unreserved characters and writes others in upper case.
    private static func canonical(_ query: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(query.count)
        var rest = query
        while let byte = rest.popFirst() {
            guard byte == ASCII.percent, rest.count >= 2, let high = ASCII.hexadecimalValue(rest[rest.startIndex]),
                let low = ASCII.hexadecimalValue(rest[rest.startIndex + 1])
            else {
                output.append(byte)
                continue
            }
            let value = high << 4 | low
            if ASCII.isLetter(value) || ASCII.isDigit(value) || "-._~".utf8.contains(value) {
                output.append(value)
            } else {
                output.append(ASCII.percent)
                output += rest.prefix(2).map { ASCII.isLetter($0) ? $0 & 0xdf : $0 }
            }
            rest = rest.dropFirst(2)
        }
        return output
    }
}

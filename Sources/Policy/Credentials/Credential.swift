import Bytes

/// The scheme of an `Authorization` value and what follows it (RFC 9110 section 11.6.2).
struct Credential {
    enum Scheme {
        /// `Bearer`, or `OAM-Auth` for the same tokens (DEC-06).
        case token
        case basic
        case other
    }

    let scheme: Scheme
    /// Range in the field value; empty where nothing follows the scheme.
    let rest: Range<Int>

    init(_ value: Span<UInt8>) {
        var end = 0
        while end < value.count, value[end] != ASCII.space { end += 1 }
        let name = value.extracting(first: end)
        while end < value.count, value[end] == ASCII.space { end += 1 }
        rest = end..<value.count
        // The scheme is compared without case (ISS-08).
        if equalIgnoringCase(Credential.bearer, name) || equalIgnoringCase(Credential.oamAuth, name) {
            scheme = .token
        } else {
            scheme = equalIgnoringCase(Credential.basic, name) ? .basic : .other
        }
    }

    private static let bearer = Array("Bearer".utf8)
    private static let oamAuth = Array("OAM-Auth".utf8)
    private static let basic = Array("Basic".utf8)
}

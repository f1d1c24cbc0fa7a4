import Bytes
import HTTP

/// The scheme of an `Authorization` value and what follows it (RFC 9110 section 11.6.2).
struct Credential {
    enum Scheme {
        /// `Bearer`, or `OAM-Auth` for the same tokens (DEC-06).
        case token
        /// `DPoP`, for tokens that are bound to a key (RFC 9449 section 7.1).
        case dpop
        case basic
        /// Of certain kinds of credentials, or of none.
        case other
    }

    let scheme: Scheme
    /// Range of the scheme in the field value; empty where there is none.
    let name: ByteRange
    /// Range of the field value; empty where nothing follows the scheme.
    let rest: ByteRange

    init(_ value: Span<UInt8>) {
        guard let (name, rest) = Credentials.split(value) else {
            scheme = .other
            (self.name, self.rest) = (.empty, .empty)
            return
        }
        (self.name, self.rest) = (name, rest)
        let text = value.slice(name)
        // The scheme is compared without case (ISS-08).
        if equalIgnoringCase(Credential.bearer, text) || equalIgnoringCase(Credential.oamAuth, text) {
            scheme = .token
        } else {
            scheme =
                equalIgnoringCase(Credential.basic, text)
                ? .basic
                : equalIgnoringCase(Credential.dpop, text) ? .dpop : .other
        }
    }

    private static let bearer = Array("Bearer".utf8)
    private static let oamAuth = Array("OAM-Auth".utf8)
    private static let dpop = Array("DPoP".utf8)
    private static let basic = Array("Basic".utf8)
}

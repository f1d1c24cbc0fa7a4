import Bytes

/// A request method. Any token without a case here is `.extension` and matched by its text.
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, delete, options, patch, trace, connect
    /// A method without a case here; matched by its text.
    case `extension`

    /// Stated for other modules, as that of `Reason`.
    package static func == (left: Method, right: Method) -> Bool { left.rawValue == right.rawValue }
    package static func != (left: Method, right: Method) -> Bool { left.rawValue != right.rawValue }

    /// Defined as safe (RFC 9110 section 9.2.1).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Defined as idempotent (RFC 9110 section 9.2.2): may be retried after a lost connection.
    package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The name on the wire; nil for `.extension`.
    package var name: StaticString? {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .extension: nil
        }
    }

    /// The method of this text, case-sensitively (RFC 9110 section 9.1).
    package init(_ text: Span<UInt8>) {
        let candidate: Method =
            switch text.count {
            case 3: text[0] == UInt8(ascii: "G") ? .get : .put
            case 4: text[0] == UInt8(ascii: "H") ? .head : .post
            case 5: text[0] == UInt8(ascii: "P") ? .patch : .trace
            case 6: .delete
            case 7: text[0] == UInt8(ascii: "O") ? .options : .connect
            default: .extension
            }
        self = candidate.name.map { bytesEqual(text, $0.span) } == true ? candidate : .extension
    }
}

extension StaticString {
    /// The bytes of a literal.
    var span: Span<UInt8> {
        @_lifetime(immortal)
        get {
            // SAFETY: a literal lives for the whole run.
            let span = unsafe Span(_unsafeStart: utf8Start, count: utf8CodeUnitCount)
            return unsafe _overrideLifetime(span, borrowing: ())
        }
    }
}

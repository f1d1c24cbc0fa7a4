import Bytes

/// The framing of a body (RFC 9112 section 6.3).
package enum BodyFraming: Equatable, Sendable {
    /// No body.
    case none
    /// A `Content-Length` of that many bytes; may be 0.
    case length(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// Until the connection closes; responses only.
    case untilClose

    /// Whether it is `chunked`.
    package var isChunked: Bool { if case .chunked = self { true } else { false } }
}

/// A valid request head, as offsets into the buffer it was parsed from. Its field lines are in the `HeaderTable`.
package struct RequestHead: Equatable, Sendable {
    package var method: Method
    package var methodText: ByteRange
    /// The request target as received.
    package var target: ByteRange
    /// The path of the target as received, without the query; begins with `/` (or is `*` for `OPTIONS *`). For an
    /// absolute-form target without a path, the range of another slash in the buffer.
    package var path: ByteRange
    /// The query without its `?`; nil without a `?`.
    package var query: ByteRange?
    /// Host and optional port of an absolute-form target or of `Host`. Empty for HTTP/1.0 without `Host`.
    package var authority: ByteRange
    /// Minor version of HTTP/1: 0 or 1.
    package var minorVersion: UInt8
    package var framing: BodyFraming
    /// Whether the client keeps the connection open after this exchange.
    package var keepAlive: Bool
    /// `Expect: 100-continue` on an HTTP/1.1 request with a body.
    package var expectsContinue: Bool
    /// Whether the request asks for an upgrade (`Connection: upgrade` and an `Upgrade` field).
    package var upgrade: Bool
    /// Length of the head in bytes, including the empty line; the body starts there.
    package var length: Int
}

extension RequestHead {
    /// Placeholder for an exchange without a readable head.
    package static let none = RequestHead(
        method: .get, methodText: .empty, target: .empty, path: .empty, query: nil, authority: .empty, minorVersion: 1,
        framing: .none, keepAlive: false, expectsContinue: false, upgrade: false, length: 0)
}

/// A valid response head.
package struct ResponseHead: Equatable, Sendable {
    /// 100 to 599.
    package var status: Int
    /// The reason phrase; may be empty.
    package var reason: ByteRange
    package var minorVersion: UInt8
    /// The framing by the head, the request method and the status (HEAD, 204, 304).
    package var framing: BodyFraming
    /// Value of `Content-Length`, if present, also for a response without a body (HEAD, 304).
    package var declaredLength: Int?
    /// Whether the upstream keeps the connection open after this exchange.
    package var keepAlive: Bool
    package var length: Int
}

import Bytes

/// How the length of a body is told (RFC 9112 section 6.3).
package enum BodyFraming: Equatable, Sendable {
    /// No body.
    case none
    /// A `Content-Length` of that many bytes; may be 0.
    case length(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// Until the connection closes; responses only.
    case untilClose
}

/// A request head that is valid by itself: offsets into the buffer it was parsed from. The field lines are in the
/// `HeaderTable` that was filled with it.
package struct RequestHead: Equatable, Sendable {
    package var method: Method
    package var methodText: ByteRange
    /// The request target as received.
    package var target: ByteRange
    /// The path of the target as received, without the query; begins with `/` (or is `*` for `OPTIONS *`). Where an
    /// absolute-form target has none, a slash elsewhere in the buffer stands for it.
    package var path: ByteRange
    /// The query without its `?`; nil where there is no `?`.
    package var query: ByteRange?
    /// Host and optional port: of an absolute-form target, else of the `Host` field. Empty for HTTP/1.0 without one.
    package var authority: ByteRange
    /// Minor version of HTTP/1: 0 or 1.
    package var minorVersion: UInt8
    package var framing: BodyFraming
    /// Whether the client lets the connection live after this exchange.
    package var keepAlive: Bool
    /// `Expect: 100-continue` on an HTTP/1.1 request with a body.
    package var expectsContinue: Bool
    /// The request asks for an upgrade (`Connection: upgrade` and an `Upgrade` field).
    package var upgrade: Bool
    /// Length of the head in bytes, the empty line included; the body starts there.
    package var length: Int
}

extension RequestHead {
    /// The place-holder of an exchange whose head could not be read.
    package static let none = RequestHead(
        method: .get, methodText: .empty, target: .empty, path: .empty, query: nil, authority: .empty, minorVersion: 1,
        framing: .none, keepAlive: false, expectsContinue: false, upgrade: false, length: 0)
}

/// A response head that is valid by itself.
package struct ResponseHead: Equatable, Sendable {
    /// 100 to 599.
    package var status: Int
    /// The reason phrase; may be empty.
    package var reason: ByteRange
    package var minorVersion: UInt8
    /// As the head says; what the request method and status make of it (HEAD, 204, 304) is already in it.
    package var framing: BodyFraming
    /// Value of `Content-Length` where there was one, also on a response without a body (HEAD, 304).
    package var declaredLength: Int?
    /// Whether the upstream lets the connection live after this exchange.
    package var keepAlive: Bool
    package var length: Int
}

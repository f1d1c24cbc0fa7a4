import Crypto
import Model

/// One request to another server: for keys, for a verdict on a token, for somebody's profile.
package struct OutboundCall: Sendable {
    package var method: String
    package var url: WebURL
    /// Fields beside those that are written for every call: `Host`, `User-Agent`, `Accept-Encoding`, `Connection` and
    /// those that frame the body.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// How TLS is spoken; nil for the default, which believes the authorities of the operating system. The server's
    /// certificate is always checked against the host of the URL.
    package var tls: TLSClientContext?
    /// For name, connection and handshake.
    package var connectTimeoutMilliseconds: Int64
    /// For request and response together, from the connection on.
    package var readTimeoutMilliseconds: Int64
    /// How long the body of the response may be.
    package var maximumBytes: Int
    /// Whether asking twice does no harm: such a call may go over a connection that was used before, and is made again
    /// where the server has closed that one in the same moment (RFC 9110 section 9.2.2). By itself for GET and HEAD.
    package var mayRepeat: Bool
    /// How long the call waits before it is begun, for whoever tries again.
    package var delayMilliseconds: Int64 = 0

    package init(
        method: String = "GET", url: WebURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        tls: TLSClientContext? = nil, connectTimeoutMilliseconds: Int64 = 5000, readTimeoutMilliseconds: Int64 = 10_000,
        maximumBytes: Int = 1 << 20, mayRepeat: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.tls = tls
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.readTimeoutMilliseconds = readTimeoutMilliseconds
        self.maximumBytes = maximumBytes
        self.mayRepeat = mayRepeat ?? (method == "GET" || method == "HEAD")
    }
}

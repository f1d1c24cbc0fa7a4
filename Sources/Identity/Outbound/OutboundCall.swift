import Crypto

/// One request to another server: for keys, for a verdict on a token, for somebody's profile.
package struct OutboundCall: Sendable {
    package var method: String
    package var url: OutboundURL
    /// Fields beside `Host`, `Connection`, `Content-Length` and `User-Agent`, which the caller writes itself.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// How TLS is spoken; nil for the default, which believes the authorities of the operating system. The server's
    /// certificate is always checked against the host of the URL.
    package var tls: TLSClientContext?
    /// For name, connection and handshake.
    package var connectTimeoutMilliseconds: Int64
    /// For the whole response, from the last byte of the request on.
    package var readTimeoutMilliseconds: Int64
    /// How long the body of the response may be.
    package var maximumBytes: Int

    package init(
        method: String = "GET", url: OutboundURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        tls: TLSClientContext? = nil, connectTimeoutMilliseconds: Int64 = 5000, readTimeoutMilliseconds: Int64 = 10_000,
        maximumBytes: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.tls = tls
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.readTimeoutMilliseconds = readTimeoutMilliseconds
        self.maximumBytes = maximumBytes
    }
}

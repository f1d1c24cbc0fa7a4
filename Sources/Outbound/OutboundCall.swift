import Crypto
import Model

/// One request to another server, such as for keys, token introspection or a user's profile.
package struct OutboundCall: Sendable {
    package var method: String
    package var url: WebURL
    /// Fields in addition to those written for every call: `Host`, `User-Agent`, `Accept-Encoding`, `Connection` and
    /// the framing of the body.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// TLS settings; nil for the default, which trusts the authorities of the operating system. The server's
    /// certificate is always checked against the host of the URL.
    package var tls: TLSClientContext?
    /// Limit for resolution, connection and handshake.
    package var connectTimeoutMilliseconds: Int64
    /// Limit for request and response together, from the connection on.
    package var readTimeoutMilliseconds: Int64
    /// Maximum length of the response body.
    package var maximumBytes: Int
    /// Whether the call may be repeated: it may then use a reused connection, and is repeated if the server closes that
    /// at the same moment (RFC 9110 section 9.2.2). Defaults to true for GET and HEAD.
    package var mayRepeat: Bool
    /// Statuses from this one on count as failures of the server in the event log.
    package var leastFailure = 500
    /// Where the call may connect to: public addresses and these; nil for any. Compared with the address of the connection
    /// itself, so that the name may resolve to several, or to others each time. Of calls that do not repeat.
    package var allowedAddresses: [IPAddressRange]?
    /// Delay before the call starts; used for retries.
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

    /// - Parameter address: nil for none of IP.
    package func mayConnect(to address: IPAddress?) -> Bool {
        guard let allowedAddresses else { return true }
        return address.map { $0.isPublic || allowedAddresses.contains($0) } ?? false
    }
}

import Crypto
import Model

/// Transport settings of calls to one server.
package struct OutboundTransport: Sendable {
    /// Nil for the system's authorities without a client certificate.
    package var tls: TLSClientContext?
    /// Whether the gateway has a client certificate.
    package var hasCertificate = false
    package var connectTimeoutMilliseconds: Int64 = 5000
    package var readTimeoutMilliseconds: Int64 = 10_000
    /// Whether tokens may be sent without TLS, and discovered URLs may lack TLS.
    package var allowsHTTP = false

    package init() {}

    package func call(
        _ method: String, _ url: WebURL, headers: [(name: String, value: String)], body: [UInt8] = [],
        maximumBytes: Int
    ) -> OutboundCall {
        OutboundCall(
            method: method, url: url, headers: headers, body: body, tls: tls,
            connectTimeoutMilliseconds: connectTimeoutMilliseconds, readTimeoutMilliseconds: readTimeoutMilliseconds,
            maximumBytes: maximumBytes)
    }
}

import Crypto
import Model

/// How calls to one server are made.
package struct OutboundTransport: Sendable {
    /// Nil for the authorities of the system, and no certificate of the gateway's own.
    package var tls: TLSClientContext?
    /// Whether the gateway has a certificate to show.
    package var hasCertificate = false
    package var connectTimeoutMilliseconds: Int64 = 5000
    package var readTimeoutMilliseconds: Int64 = 10_000
    /// Whether tokens may go in the clear, and addresses that are found be unencrypted.
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

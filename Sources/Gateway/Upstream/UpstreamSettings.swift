import Reactor

/// An API server behind the gateway. Times in milliseconds.
package struct UpstreamSettings: Equatable, Sendable {
    package var name: String
    package var address: SocketAddress
    /// `Host` for requests that came without one (HTTP/1.0).
    package var authority: [UInt8]
    package var connectTimeout: Int64 = 5000
    /// From the end of the request to the head of the response, and between two pieces of its body.
    package var responseTimeout: Int64 = 60_000
    /// How long an unused connection is kept.
    package var idleTimeout: Int64 = 60_000
    /// Unused connections kept by one worker.
    package var maximumIdle = 64
    /// Connections of one worker; 0 for no limit.
    package var maximumConnections = 0

    package init(name: String, address: SocketAddress) {
        self.name = name
        self.address = address
        authority = Array(address.description.utf8)
    }
}

import Reactor

/// One server of an upstream, as configured.
package struct ServerSettings: Equatable, Sendable {
    /// Where the server is.
    package enum Target: Equatable, Hashable, Sendable {
        /// An IP address with its port, or the path of a unix socket.
        case address(SocketAddress)
        /// A host name, resolved off the loop again and again; each address it has is a server of its own.
        case name(host: String, port: UInt16)
    }

    package var target: Target
    /// Its share of the requests, in proportion to the other servers' weights; with 0 it gets none.
    package var weight: Int
    /// Used only while no other server of the upstream is usable.
    package var isBackup: Bool
    /// `Host` of requests that the gateway makes itself, as health checks do.
    package var authority: [UInt8]

    package init(_ target: Target, weight: Int = 1, isBackup: Bool = false) {
        self.target = target
        self.weight = weight
        self.isBackup = isBackup
        if case .address(let address) = target, address.isUnix {
            authority = Array("localhost".utf8)
        } else {
            authority = Array(target.description.utf8)
        }
    }
}

extension ServerSettings.Target {
    /// `host:port`, the label of metrics.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let host, let port): "\(host):\(port)"
        }
    }
}

import Reactor

/// One server of an upstream, as configured.
package struct ServerSettings: Equatable, Sendable {
    /// Location of the server.
    package enum Target: Equatable, Hashable, Sendable {
        /// An IP address with its port, or the path of a unix socket.
        case address(SocketAddress)
        /// A host name, resolved repeatedly off the loop; each of its addresses is a separate server.
        case name(host: String, port: UInt16)
    }

    package var target: Target
    /// Share of the requests relative to other servers' weights; 0 for none.
    package var weight: Int
    /// Used only while no other server of the upstream is usable.
    package var isBackup: Bool
    /// `Host` of requests that the gateway makes itself, such as health checks.
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
    /// The place as a URL; that of a unix socket has no scheme of a protocol.
    package func url(_ scheme: String) -> String {
        if case .address(let address) = self, address.isUnix { return description }
        return "\(scheme)://\(description)"
    }

    /// `host:port`, the label in metrics.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let host, let port): "\(host):\(port)"
        }
    }
}

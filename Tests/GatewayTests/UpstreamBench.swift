import Reactor
import TestSupport
import Testing

@testable import Gateway

extension Worker {
    /// The pools of all servers, in the order of the configuration.
    var pools: [UpstreamPool] { groups.flatMap { $0.servers.map(\.pool) } }
}

extension UpstreamSettings {
    /// The address of the only server.
    var address: SocketAddress {
        get {
            guard case .address(let address)? = servers.first?.target else { preconditionFailure("no address") }
            return address
        }
        set { servers = [ServerSettings(.address(newValue))] }
    }
}

/// Several scripted servers behind one upstream.
struct ServerSet {
    let listeners: [PeerListener]

    init(_ count: Int) { listeners = (0..<count).map { _ in PeerListener() } }

    var settings: [ServerSettings] {
        listeners.compactMap { listener in
            SocketAddress(literal: "127.0.0.1", port: listener.port).map { ServerSettings(.address($0)) }
        }
    }

    /// The next connection to any of the servers, and which one it is.
    func accept() -> (server: Int, Peer)? {
        for (index, listener) in listeners.enumerated() {
            if let peer = listener.accept() { return (index, peer) }
        }
        return nil
    }
}

/// Load balancing of an upstream.
package enum Balance: Equatable, Sendable {
    /// The server with the fewest active requests, by weight.
    case leastRequests
    /// Round robin, by weight.
    case roundRobin
    /// Equal keys to the same server, while it is available.
    case consistentHash(HashKey)
}

/// The key of `Balance.consistentHash`.
package enum HashKey: Equatable, Sendable {
    /// The client's address without its port.
    case address
    /// The user; the client's address for anonymous requests.
    case principal
    /// The value of a request field, by its name in lower case; the client's address for requests without it.
    case header([UInt8])
    /// The canonical path.
    case path
}

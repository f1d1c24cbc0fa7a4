/// How requests are spread over the servers of an upstream.
package enum Balance: Equatable, Sendable {
    /// To the server with the fewest requests under way, by weight.
    case leastRequests
    /// In turn, by weight.
    case roundRobin
    /// Equal keys to the same server, as long as it is there.
    case consistentHash(HashKey)
}

/// What stays with one server under `Balance.consistentHash`.
package enum HashKey: Equatable, Sendable {
    /// The client's address without its port.
    case address
    /// Who is logged in; the client's address for anonymous requests.
    case principal
    /// The value of a request field, by its name in lower case; the client's address for requests without it.
    case header([UInt8])
    /// The canonical path.
    case path
}

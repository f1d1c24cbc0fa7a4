/// Where an exchange stands with its upstream: what it was admitted for, where it waits, which servers it was sent to.
struct Attempt {
    /// Counted among the requests under way.
    var isAdmitted = false
    /// The breaker waits for the outcome.
    var isProbe = false
    /// What the last attempt says of the upstream; nil for nothing.
    var succeeded: Bool?
    /// The place in the queue; nil for none.
    var queuePlace: Int?
    /// Attempts on further servers.
    var retries = 0
    /// It was sent again because a connection had been closed before it got the request.
    var wasReplayed = false
    /// It was sent again with another token because the upstream had refused the first.
    var hadTokenReplaced = false
    /// Servers that failed.
    var tried: [UpstreamServer] = []
    /// The place of the request's key under consistent hashing.
    var place: UInt64 = 0
}

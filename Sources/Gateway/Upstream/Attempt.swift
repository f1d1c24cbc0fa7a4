/// State of an exchange at its upstream: admission, place in the queue, tried servers.
struct Attempt {
    /// Whether it is counted among the requests in progress.
    var isAdmitted = false
    /// Whether the breaker waits for its outcome.
    var isProbe = false
    /// What the last attempt says about the upstream; nil for nothing.
    var succeeded: Bool?
    /// The place in the queue; nil for none.
    var queuePlace: Int?
    /// The progress of the request body, if it was asked for: most requests never wait.
    var upload: UploadProgress?
    /// Number of retries on further servers.
    var retries = 0
    /// Whether it was sent again because a connection closed before receiving it.
    var wasReplayed = false
    /// Servers that failed.
    var tried: [UpstreamServer] = []
    /// Position of the request's key for consistent hashing.
    var place: UInt64 = 0
}

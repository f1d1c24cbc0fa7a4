/// Explains server error codes to operators. The server's text is not passed on, because it may repeat what was sent.
package enum RedisRefusal {
    /// Cause and remedy; nil for codes that indicate neither.
    package static func cause(of code: String) -> StaticString? {
        switch code {
        case "MOVED", "ASK", "CROSSSLOT", "TRYAGAIN":
            "the server is one node of a Redis Cluster and other nodes hold these keys; store.url must name a server that is not spread over a cluster"
        case "CLUSTERDOWN":
            "the server is one node of a Redis Cluster that is down or has no node for these keys; store.url must name a server that is not spread over a cluster"
        case "NOPERM": "the access list of store.username lacks a command or the keys of store.keyPrefix"
        case "NOAUTH": "the server wants a password: store.password"
        case "READONLY": "the server is a replica, which takes no changes"
        case "OOM": "the server has no memory left"
        case "MISCONF": "the server cannot save its data and takes no changes"
        case "NOREPLICAS": "the server has fewer replicas than its min-replicas-to-write asks for"
        case "LOADING": "the server is still reading its data"
        default: nil
        }
    }
}

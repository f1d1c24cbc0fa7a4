import Endpoints
import Identity
import Issuers
import Model
import Outbound
import Policy
import Reactor

/// A message from another thread to a worker.
package enum WorkerMessage: Sendable {
    /// A new configuration.
    case use(GatewaySnapshot)
    /// Reports to the sender that all earlier messages were processed.
    case installed(Countdown)
    /// The caller was authenticated, or another step is needed.
    case credential(exchange: UInt64, Effect<Result<Principal, Reason>>)
    /// Policy servers have answered about a request, or about an exchange that goes on.
    case policy(exchange: UInt64, PolicyAnswer)
    case policyReview(exchange: UInt64, PolicyAnswer)
    /// A token for the upstream was issued, or failed.
    case tokenIssued(exchange: UInt64, InjectionTarget, Result<IssuedToken, IssueFailure>)
    /// A gateway endpoint has answered, or another step is needed.
    case endpoint(exchange: UInt64, Effect<EndpointResponse>)
    /// The work for an exchange has made room for other work.
    case displaced(exchange: UInt64)
    /// Another worker collects the counters for `/metrics`.
    case reportMetrics(to: Int, exchange: UInt64)
    case metrics(WorkerMetrics, exchange: UInt64)
    /// Active checks found a change in the health of a server.
    case serverHealth(upstream: String, address: SocketAddress, isUp: Bool)
    /// The resolved addresses of a server's host name; empty if unresolved.
    case resolved(ServerSettings.Target, [SocketAddress])
    /// A call to make to another server.
    case call(PendingCall)
    /// The resolved addresses for a call.
    case callResolved(call: UInt64, NameResolver.Answer)
    /// For the connection to the server of the store.
    case store(any StoreCommand)
    /// The resolved addresses of that server, for the attempt that asked.
    case storeResolved([SocketAddress], attempt: UInt32)
    /// Stop accepting, finish exchanges in progress, end.
    case drain(keepingIdle: Bool)
}

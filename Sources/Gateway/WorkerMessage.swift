import Endpoints
import Identity
import Issuers
import Model
import Outbound
import Policy
import Reactor

/// What other threads tell a worker.
package enum WorkerMessage: Sendable {
    /// A new configuration is in force.
    case use(GatewaySnapshot)
    /// The sender of the messages before this is told that they are in force.
    case installed(Countdown)
    /// Who is calling is known now, or what else it takes to know.
    case credential(exchange: UInt64, Effect<Result<Principal, Reason>>)
    /// A token for the upstream was issued, or not.
    case tokenIssued(exchange: UInt64, Result<IssuedToken, IssueFailure>)
    /// A gateway endpoint has its answer, or knows what else it takes.
    case endpoint(exchange: UInt64, Effect<EndpointResponse>)
    /// Another worker collects the counters for `/metrics`.
    case reportMetrics(to: Int, exchange: UInt64)
    case metrics(WorkerMetrics, exchange: UInt64)
    /// Active checks have found that a server of an upstream is well again, or not any more.
    case serverHealth(upstream: String, address: SocketAddress, isUp: Bool)
    /// The addresses that a host name among the servers has now; none where the resolver knows none.
    case resolved(ServerSettings.Target, [SocketAddress])
    /// A call to another server is to be made.
    case call(PendingCall)
    /// The addresses of the server that a call goes to.
    case callResolved(call: UInt64, NameResolver.Answer)
    /// For the connection to the Redis server.
    case redis(RedisLine.Message)
    /// Stop accepting, finish what is under way, end.
    case drain(keepingIdle: Bool)
}

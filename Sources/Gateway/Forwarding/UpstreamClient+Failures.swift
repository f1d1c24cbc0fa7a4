import Model
import Reactor

/// Failures of upstreams, as operators see them.
extension UpstreamClient {
    /// Tells why an attempt has failed; nil for one that reached no server.
    ///
    /// - Parameter error: of a connection that could not even be begun.
    func tell(_ exchange: Exchange, _ failure: UpstreamFailure, _ error: KernelError?) -> ConnectionFailure? {
        guard let server = exchange.server, let group = exchange.group else { return nil }
        let socket = exchange.upstream?.socket ?? exchange.upstream?.session?.socket
        let step: ConnectionFailure.Step
        let reason: String
        switch failure {
        case .connectFailed: (step, reason) = (.connect, error?.text ?? socket?.problem ?? "no connection")
        case .connectTimedOut: (step, reason) = (.connect, "no connection in \(group.settings.connectTimeout) ms")
        case .tlsFailed: (step, reason) = (.tls, socket?.problem ?? "the handshake failed")
        case .connectionLost: (step, reason) = (.request, socket?.problem ?? "the peer has closed the connection")
        case .responseTimedOut: (step, reason) = (.request, "no answer in \(exchange.answerTimeout) ms")
        case .invalidResponse: (step, reason) = (.request, "the answer is no valid HTTP")
        case .exhausted, .queueTimedOut, .unavailable: return nil
        }
        let told = server.failure(step, reason)
        shared.connectionFailures.note(told, .upstream(group.settings.name), now: poller.now)
        return told
    }

    /// What operators see of a request that failed.
    func evidence(of failure: UpstreamFailure, _ told: ConnectionFailure?, _ exchange: Exchange) -> Evidence {
        if let told { return Evidence([told.text]) }
        guard failure == .unavailable, let group = exchange.group, group.servers.isEmpty else { return .none }
        return Evidence(["no address of \(group.names.map(group.url).joined(separator: ", "))"])
    }
}

extension UpstreamServer {
    func failure(_ step: ConnectionFailure.Step, _ reason: String) -> ConnectionFailure {
        let url = target.url(pool.tls == nil ? "http" : "https")
        return ConnectionFailure(url, at: address.description, step, reason)
    }
}

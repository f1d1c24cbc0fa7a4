import Bytes
import HTTP
import Model
import Outbound
import Policy
import Reactor

/// Questions to policy servers.
extension RequestPipeline {
    /// What became of a question.
    enum PolicyTurn {
        case answered(PolicyAnswer)
        /// The exchange waits for the answer that this work obtains.
        case pending((@escaping @Sendable (Effect<PolicyAnswer>) -> Void) -> Void)
        /// The exchange was answered.
        case refused
    }

    /// Asks the servers of the route, or those of its rule on trial.
    func askPolicy(_ exchange: Exchange, _ route: Route?, isTrial: Bool, _ bytes: Span<UInt8>) -> PolicyTurn {
        guard let route, let asking = isTrial ? route.trial : route else {
            return .answered(PolicyAnswer(outcome: .allowed))
        }
        let path = exchange.path
        do throws(Reason) {
            var request = try PolicyRequest(
                route, telling: asking.policyServers.inputHeaders, path: path.readable, bytes: bytes,
                head: exchange.head, headers: requestHeaders, isSecure: exchange.isSecure, address: exchange.address)
            (request.requestID, request.time) = (exchange.requestIDText, poller.wallSeconds)
            if !isTrial { exchange.response.policy = PolicyRecord(request) }
            switch asking.policyServers.ask(request, exchange.principal, route) {
            case .done(let answer): return .answered(answer)
            case .await(let begin): return .pending(begin)
            case .offload, .hash: return .answered(PolicyAnswer(outcome: .failed, denial: .policyUnavailable))
            }
        } catch {
            if isTrial {
                exchange.response.trialDenial = error
                return .answered(PolicyAnswer(outcome: .denied, denial: error))
            }
            responder.deny(exchange, error, at: .policy, bytes)
            return .refused
        }
    }

    /// Parks the exchange until the servers have answered.
    func awaitPolicy(_ begin: (@escaping @Sendable (Effect<PolicyAnswer>) -> Void) -> Void, _ exchange: Exchange) {
        let (mailbox, identity) = (context.mailbox, exchange.identity)
        exchanges.park(exchange, in: .askingPolicy)
        exchange.times.traced { begin { $0.finish { mailbox.post(.policy(exchange: identity, $0)) } } }
    }

    /// The servers have answered: continues the decision.
    func policyAnswered(_ exchange: Exchange, _ answer: PolicyAnswer) {
        exchanges.unpark(exchange)
        guard let buffer = exchanges.reread(exchange), let decision = exchange.decision.take() else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        guard use(answer, exchange, isTrial: decision.step == .trialPolicy, buffer.readable) else { return }
        advance(exchange, decision, exchange.path, exchange.snapshot.policy, buffer)
    }

    /// A server on trial has not answered in time. It refuses nothing, and what follows has time of its own.
    func trialTimedOut(_ exchange: Exchange) {
        exchange.decisionDeadline = .max
        policyAnswered(exchange, PolicyAnswer(outcome: .failed, denial: .decisionTimeout))
    }

    /// Keeps an answer. False if it refuses the request, which was answered then.
    func use(_ answer: PolicyAnswer, _ exchange: Exchange, isTrial: Bool, _ bytes: Span<UInt8>) -> Bool {
        if isTrial {
            exchange.response.trialDenial = answer.denial
            return true
        }
        exchange.response.policy?.answer = answer
        exchange.response.policy?.fields = answer.fields
        guard let denial = answer.denial else { return true }
        responder.deny(exchange, denial, at: .policy, bytes)
        return false
    }
}

extension Effect {
    /// Reports the value once it is there. Only waits can be between: no policy server has work for a pool.
    func finish(_ done: @escaping @Sendable (Value) -> Void) {
        switch self {
        case .done(let value): done(value)
        case .await(let begin): begin { $0.finish(done) }
        case .offload(let work), .hash(_, let work): work().finish(done)
        }
    }
}

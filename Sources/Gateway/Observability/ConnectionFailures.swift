import Crypto
import Model
import Reactor

/// Writes failed connections to the event log: a repeated one once a minute with its number, so that a dead peer does not
/// fill the log.
package final class ConnectionFailures: Sendable {
    /// What a connection is for.
    package enum Purpose: Sendable, Hashable {
        /// A call of the gateway's own: keys, tokens, users, policies, spans.
        case call
        case store
        /// Requests to an upstream of this name.
        case upstream(String)
        /// An active check of an upstream's server.
        case check(String)

        var name: String {
            switch self {
            case .call: "call"
            case .store: "store"
            case .upstream: "upstream"
            case .check: "check"
            }
        }
    }

    private struct Kind: Hashable {
        let failure: ConnectionFailure
        let purpose: Purpose
    }

    private let repetitions = Repetitions<Kind>()
    private let log: EventLog

    package init(_ log: EventLog) { self.log = log }

    /// - Parameter now: milliseconds of the monotonic clock.
    package func note(
        _ failure: ConnectionFailure, _ purpose: Purpose, now: Int64 = Clock.monotonicMilliseconds
    ) {
        guard let repeated = repetitions.note(Kind(failure: failure, purpose: purpose), now: now) else { return }
        var members: [(String, EventLog.Value)] = [("purpose", .text(purpose.name))]
        switch purpose {
        case .call, .store: break
        case .upstream(let name), .check(let name): members.append(("upstream", .text(name)))
        }
        members.append(("url", .text(failure.target)))
        if let address = failure.address { members.append(("address", .text(address))) }
        members += [("step", .text(failure.step.rawValue)), ("reason", .text(failure.reason))]
        if repeated > 0 { members.append(("repeated", .number(repeated))) }
        log.write(.connectionFailed, members)
    }
}

extension Socket {
    /// Why the connection was not made, or has ended.
    var problem: String {
        if let failure = tls?.failure, failure != .closed { return failure.text }
        return error?.text ?? "the peer has closed the connection"
    }
}

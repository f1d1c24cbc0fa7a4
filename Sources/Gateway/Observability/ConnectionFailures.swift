import Crypto
import Model
import Reactor
import Synchronization

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

    private struct Told {
        var at: Int64
        /// How often it has happened since.
        var repeated = 0
    }

    /// Milliseconds between two events of one kind.
    static let pause: Int64 = 60_000
    /// Kinds that are kept apart, and events in the time of a pause.
    static let mostKinds = 256

    private let told = Mutex<[Kind: Told]>([:])
    private let log: EventLog

    package init(_ log: EventLog) { self.log = log }

    /// - Parameter now: milliseconds of the monotonic clock.
    package func note(
        _ failure: ConnectionFailure, _ purpose: Purpose, now: Int64 = Clock.monotonicMilliseconds
    ) {
        guard let repeated = isDue(Kind(failure: failure, purpose: purpose), now) else { return }
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

    /// How often a failure was not told since the last time; nil if it is not told now.
    private func isDue(_ kind: Kind, _ now: Int64) -> Int? {
        told.withLock { told in
            if let last = told[kind] {
                if now - last.at < ConnectionFailures.pause {
                    told[kind]?.repeated += 1
                    return nil
                }
                told[kind] = Told(at: now)
                return last.repeated
            }
            if told.count >= ConnectionFailures.mostKinds {
                told = told.filter { now - $0.value.at < ConnectionFailures.pause }
                if told.count >= ConnectionFailures.mostKinds { return nil }
            }
            told[kind] = Told(at: now)
            return 0
        }
    }
}

extension Socket {
    /// Why the connection was not made, or has ended.
    var problem: String {
        if let failure = tls?.failure, failure != .closed { return failure.text }
        return error?.text ?? "the peer has closed the connection"
    }
}

import Gateway
import Issuers
import Model
import Synchronization

/// Counters and circuit breakers of the issuers of upstreams' tokens, which outlive configurations.
final class RetainedIssuers: Sendable {
    private let gates = Mutex<[String: IssuerGate]>([:])

    func gate(_ name: String, _ log: EventLog) -> IssuerGate {
        gates.withLock { gates in
            if let known = gates[name] { return known }
            let gate = IssuerGate(name: name) { log.write($0, tokenIssuer: name) }
            gates[name] = gate
            return gate
        }
    }

    /// Removes issuers of earlier configurations.
    func keep(only names: Set<String>) {
        gates.withLock { gates in gates = gates.filter { names.contains($0.key) } }
    }
}

extension EventLog {
    fileprivate func write(_ event: IssuerGate.Event, tokenIssuer name: String) {
        switch event {
        case .failed(let failure): write(.issuerFailed, members(name, failure))
        case .opened(let failure): write(.issuerLeftAlone, members(name, failure))
        case .recovered: write(.issuerRecovered, [("issuer", .text(name))])
        }
    }

    private func members(_ name: String, _ failure: IssueFailure) -> [(String, EventLog.Value)] {
        [
            ("issuer", .text(name)), ("reason", .text(failure.reason.code)),
            ("detail", .text(failure.detail ?? "")),
        ]
    }
}

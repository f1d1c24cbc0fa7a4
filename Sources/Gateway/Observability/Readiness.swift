import Identity
import Issuers
import Model
import TokenStorage

/// The content of `/readyz`: whether to send requests here, and the state of the store and of issuers with fetched
/// keys.
package struct Readiness: Sendable {
    package let isReady: Bool
    package let text: String

    init(_ snapshot: GatewaySnapshot, store: RevocationFollower.Report, isDraining: Bool) {
        self.init(
            snapshot.issuerKeys, tokenIssuers: snapshot.issuers.map(\.report), store: store, isDraining: isDraining)
    }

    /// - Parameter tokenIssuers: issuers of upstream tokens. A failing one is reported but does not affect readiness,
    ///   since other routes do not need it.
    init(
        _ issuers: [IssuerKeys], tokenIssuers: [IssuerGate.Report] = [], store: RevocationFollower.Report,
        isDraining: Bool
    ) {
        let reports = issuers.map { ($0, $0.keys.report) }
        // Without its first keys all tokens of the issuer would be refused; later, old keys remain usable.
        let isWaiting = reports.contains { !$0.isOptional && $1.succeeded == 0 }
        isReady = !isDraining && !store.refuses && !store.refusesWrites && !isWaiting
        var lines = [isDraining ? "draining" : isReady ? "ready" : "not ready"]
        if isWaiting { lines.append("waiting for keys") }
        if store.refuses {
            lines.append("store unavailable: bearer tokens are refused")
        } else if !store.isCurrent {
            lines.append("store unavailable: the last known deny list is in use")
        }
        if let failure = store.writeFailure {
            lines.append("store takes nothing: \(failure.reason), \(store.unwritten) revocations wait")
        }
        for (issuer, report) in reports { lines.append("issuer \(issuer.name): \(Readiness.words(report))") }
        for report in tokenIssuers where report.state != .closed || report.failure != nil {
            lines.append("tokens of \(report.name): \(Readiness.words(report))")
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func words(_ report: IssuerGate.Report) -> String {
        let state =
            switch report.state {
            case .closed: "failing"
            case .halfOpen: "being tried again"
            case .open: "left alone for a while"
            }
        guard let failure = report.failure else { return state }
        return "\(state), last failure: \(failure.reason)\(failure.detail.map { " (\($0))" } ?? "")"
    }

    private static func words(_ report: RemoteKeySet.Report) -> String {
        var words = report.ageSeconds.map { "\(report.keyCount) keys, \($0) s old" } ?? "no keys"
        if report.isStale { words += ", stale" }
        if let failure = report.failure { words += ", last fetch failed: \(failure.code)" }
        return words
    }
}

import Identity
import Issuers
import Model
import Policy
import TokenStorage

/// The content of `/readyz`: whether to send requests here, and the state of the store and of issuers with fetched
/// keys.
///
/// All gateways of a store lose it at once. A gateway that has been ready therefore stays so, as long as it serves any
/// route: a balancer without a ready gateway serves nothing.
package struct Readiness: Sendable {
    package let isReady: Bool
    /// Whether the store answers and takes changes as well.
    package let isStoreServing: Bool
    /// The lines below the first.
    package let causes: [String]
    private let isDraining: Bool

    /// - Parameter wasReady: whether the process has been ready before.
    init(_ snapshot: GatewaySnapshot, store: RevocationFollower.Report, isDraining: Bool, wasReady: Bool) {
        self.init(
            snapshot.issuerKeys, tokenIssuers: snapshot.issuers.map(\.report), store: store, isDraining: isDraining,
            wasReady: wasReady, servesWithoutTokens: snapshot.policy.servesWithoutTokens)
    }

    /// - Parameters:
    ///   - tokenIssuers: issuers of upstream tokens. A failing one is reported but does not affect readiness, since
    ///     other routes do not need it.
    ///   - servesWithoutTokens: whether there is a route that serves callers without a token.
    init(
        _ issuers: [IssuerKeys], tokenIssuers: [IssuerGate.Report] = [], store: RevocationFollower.Report,
        isDraining: Bool, wasReady: Bool = false, servesWithoutTokens: Bool = true
    ) {
        let reports = issuers.map { ($0, $0.keys.report) }
        // Without its first keys all tokens of the issuer would be refused; later, old keys remain usable.
        let isWaiting = reports.contains { !$0.isOptional && $1.succeeded == 0 }
        let isComplete = !store.refuses && !isWaiting
        isReady = !isDraining && (isComplete || wasReady && (!store.refuses || servesWithoutTokens))
        isStoreServing = store.isUp
        self.isDraining = isDraining
        var lines: [String] = []
        if isWaiting { lines.append("waiting for keys") }
        if store.refuses {
            lines.append("store unavailable: bearer tokens are refused")
        } else if !store.isCurrent {
            lines.append("store unavailable: the last known deny list is in use")
        }
        if let failure = store.writeFailure {
            lines.append("store takes nothing: \(failure.reason), \(store.unwritten) revocations wait")
        }
        if store.skipped > 0 { lines.append("store: \(store.skipped) entries of the deny list cannot be read") }
        for (issuer, report) in reports { lines.append("issuer \(issuer.name): \(Readiness.words(report))") }
        for report in tokenIssuers where report.state != .closed || report.failure != nil {
            lines.append("tokens of \(report.name): \(Readiness.words(report))")
        }
        causes = lines
    }

    /// The status and the text of a response.
    /// - Parameter includingStore: whether a store that does not serve counts.
    func response(includingStore: Bool) -> (status: Int, text: String) {
        let isReady = isReady && (isStoreServing || !includingStore)
        let first = isDraining ? "draining" : isReady ? "ready" : "not ready"
        return (isReady ? 200 : 503, ([first] + causes).joined(separator: "\n") + "\n")
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

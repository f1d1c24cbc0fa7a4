import Identity

/// What `/readyz` says: whether requests may be sent here, and how the issuers stand whose keys are fetched.
struct Readiness {
    let isReady: Bool
    let text: String

    init(_ issuers: [IssuerKeys], isDraining: Bool) {
        let reports = issuers.map { ($0, $0.keys.report) }
        // Without its first keys every token of the issuer would be refused; later on the old ones do.
        let isWaiting = reports.contains { !$0.isOptional && $1.succeeded == 0 }
        isReady = !isDraining && !isWaiting
        var lines = [isDraining ? "draining" : isWaiting ? "waiting for keys" : "ready"]
        for (issuer, report) in reports { lines.append("issuer \(issuer.name): \(Readiness.words(report))") }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func words(_ report: RemoteKeySet.Report) -> String {
        var words = report.ageSeconds.map { "\(report.keyCount) keys, \($0) s old" } ?? "no keys"
        if report.isStale { words += ", stale" }
        if let failure = report.failure { words += ", last fetch failed: \(failure.code)" }
        return words
    }
}

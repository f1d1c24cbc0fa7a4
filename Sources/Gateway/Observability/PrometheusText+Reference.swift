import Issuers
import TokenStorage

/// The page of the reference with all metrics.
extension PrometheusText {
    package static var reference: String {
        let store = RevocationFollower.Report(
            kind: "memory", isCurrent: true, refuses: false, age: 0, succeeded: 0, failed: 0)
        var facts = Facts(
            issued: IssuedTokenStore.Counters(), reloads: SharedState.ReloadCounters(), revocations: 0, store: store,
            blockingWaiting: 0, uptimeSeconds: 0, workers: 1, engine: "")
        // Only gateways with former keys have it.
        facts.needingFormerKey = 0
        let page = page(WorkerMetrics(routeNames: []), facts)
        let rows = page.families.map { family in
            let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(family.name)` | \(family.type) | \(labels) | \(unit(of: family)) | \(family.help) |"
        }
        return """
            # Metrics

            `GET /metrics` on the admin listener, or on a listener with the role `metrics`, responds with the Prometheus text
            format. Counters count from the start of the process.

            The gateway's own endpoints have an empty `route` and the label `endpoint`, such as `token` or `jwks`. Requests
            outside routes and endpoints have an empty `route` only. `reason` is a [reason code](reference/reasons.md).

            | Metric | Type | Labels | Unit | Meaning |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private static func unit(of family: Family) -> String {
        if family.name.contains("_seconds") || family.name.hasSuffix("_last_run") { return "seconds" }
        return family.name.contains("_bytes") ? "bytes" : ""
    }
}

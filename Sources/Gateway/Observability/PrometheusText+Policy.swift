import Policy

/// Metrics of the servers that are asked about requests, and of spans.
extension PrometheusText {
    static func policyServers(_ servers: [PolicyAsker.Report], _ page: inout Page) {
        page.family(
            "policy_requests_total", "counter",
            "Requests that a policy server decided, by outcome: allowed, denied, or the cause of a failure.",
            ["server", "outcome"])
        for server in servers {
            let failures = server.failed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            for (outcome, count) in [("allowed", server.allowed), ("denied", server.denied)] + failures {
                page.sample("policy_requests_total", "\(label(server)),outcome=\"\(outcome)\"", count)
            }
        }
        page.family(
            "policy_cache_total", "counter",
            "Requests by the source of their decision: hit (cached), shared (call of another request) or asked.",
            ["server", "outcome"])
        for server in servers {
            for (outcome, count) in [("hit", server.hits), ("shared", server.shared), ("asked", server.calls)] {
                page.sample("policy_cache_total", "\(label(server)),outcome=\"\(outcome)\"", count)
            }
        }
        page.family("policy_call_duration_seconds", "summary", "How long calls to a policy server took.", ["server"])
        for server in servers {
            page.sample(
                "policy_call_duration_seconds_sum", label(server), Double(server.microseconds) / 1_000_000)
            page.sample("policy_call_duration_seconds_count", label(server), server.calls)
        }
        page.family("policy_cache_entries", "gauge", "Cached decisions.", ["server"])
        for server in servers { page.sample("policy_cache_entries", label(server), server.remembered) }
        page.family(
            "policy_up", "gauge", "0 while the last call to a policy server had no usable response, else 1.", ["server"]
        )
        for server in servers { page.sample("policy_up", label(server), server.isFailing ? 0 : 1) }
    }

    private static func label(_ server: PolicyAsker.Report) -> String { "server=\"\(escape(server.name))\"" }

    static func spans(_ report: Tracer.Report, _ page: inout Page) {
        page.family(
            "trace_spans_total", "counter",
            "Spans for the collector, by outcome: sent, dropped (queue full) or failed.", ["outcome"])
        for (outcome, count) in [("sent", report.sent), ("dropped", report.dropped), ("failed", report.failed)] {
            page.sample("trace_spans_total", "outcome=\"\(outcome)\"", count)
        }
    }
}

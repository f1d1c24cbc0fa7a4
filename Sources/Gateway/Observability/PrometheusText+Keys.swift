import Identity
import Outbound

/// Metrics of outbound calls, fetched issuer keys and introspection.
extension PrometheusText {
    static func outbound(_ facts: Facts, _ page: inout Page) {
        page.family("outbound_calls_total", "counter", "Calls to other servers by outcome.", ["outcome"])
        page.sample("outbound_calls_total", "outcome=\"answered\"", facts.outbound.answered)
        for (place, failure) in OutboundFailure.allCases.enumerated() {
            page.sample("outbound_calls_total", "outcome=\"\(failure.rawValue)\"", facts.outbound.failed[place])
        }
        page.single("outbound_calls_in_flight", "gauge", "Calls to other servers under way.", facts.outbound.underWay)
        keys(facts.issuerKeys, &page)
        introspection(facts.introspection, &page)
        page.family(
            "provider_revocations_total", "counter",
            "Tokens revoked at identity providers at logout, by outcome: revoked, or the reason code of a failure.",
            ["provider", "outcome"])
        for count in facts.providerRevocations {
            let labels = "provider=\"\(escape(count.provider))\",outcome=\"\(escape(count.outcome))\""
            page.sample("provider_revocations_total", labels, count.number)
        }
    }

    static func certificates(_ certificates: [CertificateEnd], _ page: inout Page) {
        let name = "certificate_expiry_timestamp_seconds"
        page.family(
            name, "gauge",
            "When a certificate of the gateway ends, in seconds since 1970, by its place in the configuration.",
            ["pointer", "name"])
        for certificate in certificates {
            let labels = "pointer=\"\(escape(certificate.pointer))\",name=\"\(escape(certificate.name))\""
            page.sample(name, labels, certificate.end)
        }
    }

    private static func keys(_ issuers: [(name: String, report: RemoteKeySet.Report)], _ page: inout Page) {
        page.family("issuer_keys", "gauge", "Keys of an issuer that may be used.", ["issuer"])
        for issuer in issuers { page.sample("issuer_keys", label(issuer.name), issuer.report.keyCount) }
        page.family("issuer_keys_age_seconds", "gauge", "Since the keys of an issuer were fetched.", ["issuer"])
        for issuer in issuers {
            if let age = issuer.report.ageSeconds { page.sample("issuer_keys_age_seconds", label(issuer.name), age) }
        }
        page.family(
            "issuer_keys_stale", "gauge", "1 while keys are used beyond their time, since the issuer is down.",
            ["issuer"])
        for issuer in issuers { page.sample("issuer_keys_stale", label(issuer.name), issuer.report.isStale ? 1 : 0) }
        page.family(
            "issuer_key_fetches_total", "counter", "Fetches of an issuer's keys by outcome.", ["issuer", "outcome"])
        for issuer in issuers {
            page.sample("issuer_key_fetches_total", "\(label(issuer.name)),outcome=\"ok\"", issuer.report.succeeded)
            for (code, count) in issuer.report.failed.sorted(by: { $0.key < $1.key }) {
                page.sample("issuer_key_fetches_total", "\(label(issuer.name)),outcome=\"\(code)\"", count)
            }
        }
    }

    private static func introspection(
        _ issuers: [(name: String, report: Introspector.Report)], _ page: inout Page
    ) {
        page.family(
            "introspection_requests_total", "counter",
            "Requests to an introspection server by outcome: active, inactive, or the cause of a failure.",
            ["issuer", "outcome"])
        for (name, report) in issuers {
            let outcomes = [("active", report.active), ("inactive", report.inactive)]
            let failures = report.failed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            for (outcome, count) in outcomes + failures {
                page.sample("introspection_requests_total", "\(label(name)),outcome=\"\(outcome)\"", count)
            }
        }
        page.family(
            "introspection_cache_total", "counter",
            "Introspected tokens by where the result came from: hit (cached) or miss.",
            ["issuer", "outcome"])
        for (name, report) in issuers {
            for (outcome, count) in [("hit", report.hits), ("miss", report.misses)] {
                page.sample("introspection_cache_total", "\(label(name)),outcome=\"\(outcome)\"", count)
            }
        }
        page.family("introspection_cache_entries", "gauge", "Cached results of introspection.", ["issuer"])
        for (name, report) in issuers { page.sample("introspection_cache_entries", label(name), report.remembered) }
        page.family(
            "introspection_in_flight", "gauge", "Requests to an introspection server under way.", ["issuer"])
        for (name, report) in issuers { page.sample("introspection_in_flight", label(name), report.underWay) }
        page.family(
            "introspection_up", "gauge", "0 while the last request to an introspection server failed, else 1.",
            ["issuer"])
        for (name, report) in issuers { page.sample("introspection_up", label(name), report.isFailing ? 0 : 1) }
    }

    private static func label(_ issuer: String) -> String { "issuer=\"\(escape(issuer))\"" }
}

import Identity

/// The families of calls to other servers, and of the issuers whose keys are fetched.
extension PrometheusText {
    static func outbound(_ facts: Facts, _ page: inout Page) {
        page.family("outbound_calls_total", "counter", "Calls to other servers by outcome.")
        page.sample("outbound_calls_total", "outcome=\"answered\"", facts.outbound.answered)
        for (place, failure) in OutboundFailure.allCases.enumerated() {
            page.sample("outbound_calls_total", "outcome=\"\(failure.rawValue)\"", facts.outbound.failed[place])
        }
        page.single("outbound_calls_in_flight", "gauge", "Calls to other servers under way.", facts.outbound.underWay)
        keys(facts.issuerKeys, &page)
    }

    private static func keys(_ issuers: [(name: String, report: RemoteKeySet.Report)], _ page: inout Page) {
        page.family("issuer_keys", "gauge", "Keys of an issuer that may be used.")
        for issuer in issuers { page.sample("issuer_keys", label(issuer.name), issuer.report.keyCount) }
        page.family("issuer_keys_age_seconds", "gauge", "Since the keys of an issuer were fetched.")
        for issuer in issuers {
            if let age = issuer.report.ageSeconds { page.sample("issuer_keys_age_seconds", label(issuer.name), age) }
        }
        page.family("issuer_keys_stale", "gauge", "1 while keys are used beyond their time, since the issuer is down.")
        for issuer in issuers { page.sample("issuer_keys_stale", label(issuer.name), issuer.report.isStale ? 1 : 0) }
        page.family("issuer_key_fetches_total", "counter", "Fetches of an issuer's keys by outcome.")
        for issuer in issuers {
            page.sample("issuer_key_fetches_total", "\(label(issuer.name)),outcome=\"ok\"", issuer.report.succeeded)
            for (code, count) in issuer.report.failed.sorted(by: { $0.key < $1.key }) {
                page.sample("issuer_key_fetches_total", "\(label(issuer.name)),outcome=\"\(code)\"", count)
            }
        }
    }

    private static func label(_ issuer: String) -> String { "issuer=\"\(escape(issuer))\"" }
}

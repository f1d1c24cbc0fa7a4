import Issuers
import Model

/// Metrics of the issuers of upstream tokens.
extension PrometheusText {
    static func issuers(_ facts: Facts, _ page: inout Page) {
        let issuers = facts.issuers
        page.single(
            "issued_tokens_refused_total", "counter", "Tokens that their upstreams refused.", facts.issued.refused)
        page.family(
            "issuer_requests_total", "counter", "Requests for an upstream's token by issuer and outcome.",
            ["issuer", "outcome"])
        for issuer in issuers {
            for (place, outcome) in IssuerGate.Outcome.allCases.enumerated() {
                page.sample(
                    "issuer_requests_total", "\(label(issuer)),outcome=\"\(outcome.rawValue)\"", issuer.outcomes[place])
            }
        }
        page.family(
            "issuer_request_duration_seconds", "summary", "How long the requests that were made took.", ["issuer"])
        for issuer in issuers {
            let seconds = Double(issuer.microseconds) / 1_000_000
            page.sample("issuer_request_duration_seconds_sum", label(issuer), seconds)
            page.sample("issuer_request_duration_seconds_count", label(issuer), issuer.made)
        }
        page.family("issuer_requests_in_flight", "gauge", "Requests for an upstream's token under way.", ["issuer"])
        for issuer in issuers { page.sample("issuer_requests_in_flight", label(issuer), issuer.underWay) }
        page.family(
            "issuer_breaker_state", "gauge", "0 closed, 1 half open, 2 open: the issuer is left alone.", ["issuer"])
        for issuer in issuers { page.sample("issuer_breaker_state", label(issuer), issuer.state.rawValue) }
    }

    private static func label(_ issuer: IssuerGate.Report) -> String { "issuer=\"\(escape(issuer.name))\"" }
}

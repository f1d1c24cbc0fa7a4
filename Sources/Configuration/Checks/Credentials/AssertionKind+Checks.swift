import Bytes
import Declaration
import Model

extension AssertionKind: CheckedKind {
    static func check(
        _ list: [Authenticator], of route: RouteEntry, at pointer: String, in configuration: GatewayConfiguration,
        _ findings: Findings
    ) {
        if !route.clients.isEmpty {
            findings.error(
                pointer, "an assertion belongs to no client",
                expected: "no \"clients\" and \"backends\", or no \"saml\"")
        }
        let entries = configuration.policies.authTokenConfiguration?["samlIssuers"]?.array ?? []
        let names = entries.compactMap { $0["issuerName"]?.string }
        if names.isEmpty {
            findings.error(
                pointer, "there is no issuer of assertions",
                expected: "\"samlIssuers\" in Security_AuthTokenConfiguration")
        }
        for (place, entry) in list.enumerated() where entry.kind == .saml {
            guard let name = entry.issuer, !names.isEmpty, !names.contains(where: name.isExactly) else { continue }
            findings.error(
                "\(pointer)/\(place)/issuer", "unknown SAML issuer \"\(name)\"",
                expected: "an \"issuerName\" of \"samlIssuers\"", suggestion: Suggestion.nearest(to: name, among: names)
            )
        }
    }
}

import Declaration
import Model

/// Checks of issuers whose identity assertions clients exchange: they sign them, and assertions open no route by themselves.
enum AssertionIssuers {
    static func check(_ configuration: GatewayConfiguration, _ findings: Findings) {
        let signing = configuration.trustedIssuers.filter { $0.introspection == nil }.map(\.name)
        let others = configuration.trustedIssuers.map(\.name) + TrustedIssuerEntry.reservedNames
        for client in configuration.clients {
            for (index, name) in client.client.grants.assertionIssuers.enumerated()
            where others.contains(name) && !signing.contains(name) {
                findings.error(
                    "\(client.pointer)/identityAssertionIssuers/\(index)", "\"\(name)\" signs no identity assertions",
                    expected: "an entry of trustedIssuers.json with keys")
            }
        }
        checkNames(configuration, findings)
        let closed = configuration.trustedIssuers.filter { !$0.opensRoutes }.map(\.name)
        for (index, route) in configuration.routes.enumerated() {
            let named = Set(([route.access] + route.methods.map(\.access)).flatMap(\.issuers))
            for name in closed where named.contains(name) {
                findings.error(
                    "/routes/\(index)/issuers", "no token of \"\(name)\" opens a route",
                    expected: "\"local\", whose tokens clients get for its assertions")
            }
        }
    }

    /// Warns of users that APIs cannot tell from others: the tokens that they get are the gateway's own.
    private static func checkNames(_ configuration: GatewayConfiguration, _ findings: Findings) {
        let used = Set(configuration.clients.flatMap(\.client.grants.assertionIssuers))
        let others = configuration.trustedIssuers.filter { used.contains($0.name) }
        for (index, issuer) in configuration.trustedIssuers.enumerated()
        where used.contains(issuer.name) && issuer.users.virtualUserEnabled && issuer.users.usernamePrefix.isEmpty
            && (others.count > 1 || !configuration.users.isEmpty)
        {
            findings.warning(
                "/trustedIssuers/\(index)/usernamePrefix",
                "its users get tokens of \"local\" and may have the names of other users there",
                expected: "a prefix such as \"\(issuer.name):\"")
        }
    }
}

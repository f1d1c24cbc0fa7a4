import Declaration
import Model

/// Checks of the upstreams that the tokens of issuers are sent to.
extension GatewayConfiguration {
    /// Reports routes that would send an issuer's tokens to other hosts than it allows. Hosts are compared exactly, since a
    /// subdomain may have another operator.
    func checkIssuerHosts(_ findings: Findings) {
        for (index, route) in routes.enumerated() {
            guard let upstream = upstreams.first(where: { $0.name == route.upstream }) else { continue }
            let names = Set(route.injections(webgates).map(\.issuer))
            for issuer in issuers where names.contains(issuer.name) {
                guard let allowed = issuer.allowedHosts else { continue }
                for server in upstream.servers where !allowed.contains(server.host) {
                    findings.error(
                        "/routes/\(index)/upstream",
                        "tokens of the issuer \"\(issuer.name)\" must not go to \"\(server.host)\"",
                        expected: "a host of \(issuer.pointer)/allowedHosts: \(allowed.joined(separator: ", "))")
                }
            }
        }
    }
}

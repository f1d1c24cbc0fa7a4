/// Where the tokens of issuers may go.
extension GatewayConfiguration {
    /// A token that is worth something elsewhere must not reach a server that it is not meant for, by a mistake in a route.
    /// Hosts are compared exactly: whoever runs a host below another is not the same.
    func checkIssuerHosts(_ findings: Findings) {
        for (index, route) in routes.enumerated() {
            let webgate = webgates.first { $0.name == route.webgate }
            guard let injection = route.injection ?? webgate?.injection,
                let issuer = issuers.first(where: { $0.name == injection.issuer }), let allowed = issuer.allowedHosts,
                let upstream = upstreams.first(where: { $0.name == route.upstream })
            else { continue }
            for server in upstream.servers where !allowed.contains(server.host) {
                findings.error(
                    "/routes/\(index)/upstream",
                    "tokens of the issuer \"\(issuer.name)\" must not go to \"\(server.host)\"",
                    expected: "a host of \(issuer.pointer)/allowedHosts: \(allowed.joined(separator: ", "))")
            }
        }
    }
}

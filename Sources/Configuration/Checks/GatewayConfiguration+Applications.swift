import Declaration
import Model

/// Checks of routes of applications, and of clients with a social login.
extension GatewayConfiguration {
    func checkApplications(_ findings: Findings) {
        for (index, route) in routes.enumerated() where route.application != nil {
            checkRoute(route, at: "/routes/\(index)", findings)
        }
        for (index, issuer) in trustedIssuers.enumerated() {
            checkClient(of: issuer, at: "/trustedIssuers/\(index)/client", findings)
        }
    }

    /// A route belongs to clients or to an application (AOM-16): their credentials do not mix.
    private func checkRoute(_ route: RouteEntry, at pointer: String, _ findings: Findings) {
        let rules = [route.access] + route.methods.map(\.access)
        if !route.clients.isEmpty {
            findings.error(
                "\(pointer)/application", "the route already names clients",
                expected: "either \"application\", or \"clients\" and \"backends\"")
        }
        if rules.contains(where: \.socialLogin) {
            findings.error(
                "\(pointer)/application", "tokens of an application are not a social login",
                expected: "either \"application\" or \"socialLogin\"")
        }
        if rules.allSatisfy(\.isPublic) {
            findings.error(
                "\(pointer)/application", "a public route ignores tokens",
                expected: "either \"application\" or \"public\"")
        }
    }

    /// FB-04: a client with a social login accepts no other method.
    private func checkClient(of issuer: TrustedIssuerEntry, at pointer: String, _ findings: Findings) {
        let entry = clients.first { $0.client.reference == issuer.client }
        guard let entry, entry.socialLogin != nil else { return }
        findings.error(
            pointer, "the client \"\(entry.client.reference)\" accepts only social logins",
            expected: "another client, or none")
    }
}

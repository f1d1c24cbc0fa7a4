import Bytes
import Declaration
import Model

extension RegistrationSection {
    /// Warns of an open registration, and checks what other sections have: the client and the scopes.
    func checkSponsor(_ clients: [ClientEntry], _ terms: AccessTokenTerms, _ findings: Findings) {
        checkScopes(terms, findings)
        if rules.isOpen {
            findings.warning(
                "/tokenService/registration/open", "any program may register as a client",
                expected: "\"initialAccessTokens\" where the clients are known")
        }
        guard let entry = clients.first(where: { $0.client.reference == client }) else { return }
        let pointer = "/tokenService/registration/client"
        if !entry.client.oauthConsumer || entry.isRevoked {
            findings.error(
                pointer, "the client is revoked, or has no OAuth", expected: "a client that gets tokens")
        }
        if entry.client.issuer != nil || entry.socialLogin != nil {
            findings.error(
                pointer, "registered clients get tokens of the token service alone",
                expected: "a client without \"issuer\" and social login")
        }
    }

    private func checkScopes(_ terms: AccessTokenTerms, _ findings: Findings) {
        for scope in rules.scopes ?? [] where !terms.knownScopes.contains(where: scope.isExactly) {
            findings.error(
                "/tokenService/registration/scopes", "unknown scope \"\(scope)\"",
                expected: "one of \"scopes\" of the token service",
                suggestion: Suggestion.nearest(to: scope, among: terms.knownScopes))
        }
        let pointer = "/tokenService/registration/scopeRoles"
        for scope in rules.scopeRoles.keys.sorted() {
            if !terms.scopes.contains(where: scope.isExactly) {
                findings.error(
                    pointer, "unknown scope \"\(scope)\"", expected: "one of \"scopes\" of the token service")
            } else if terms.scopeDescriptions[scope] == nil {
                findings.warning(
                    pointer, "users are asked about roles by the name \"\(scope)\" alone",
                    expected: "a text for it in \"scopeDescriptions\"")
            }
        }
    }
}

extension ClientEntry {
    /// Warns of a client with the name of a user: APIs get both in `X-Gateway-User`.
    func checkName(_ users: [User], _ findings: Findings) {
        guard client.isStandard, !client.grants.withheld.contains(.clientCredentials),
            users.contains(where: { $0.username.isExactly(client.clientID) })
        else { return }
        findings.warning(
            "\(pointer)/clientId", "a user has this name, too, and APIs get both in X-Gateway-User",
            expected: "another id, or no \"client_credentials\"")
    }

    /// Reports scopes of a client that the token service does not have.
    func checkScopes(_ terms: AccessTokenTerms, _ findings: Findings) {
        let known = terms.knownScopes
        for scope in client.grants.scopes ?? [] where !known.contains(where: scope.isExactly) {
            findings.error(
                "\(pointer)/scopes", "unknown scope \"\(scope)\"", expected: "one of \"scopes\" of the token service",
                suggestion: Suggestion.nearest(to: scope, among: known))
        }
    }
}

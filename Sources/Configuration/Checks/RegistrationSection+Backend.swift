import Model

extension RegistrationSection {
    /// Warns of an open registration, and checks the backend, which another section has.
    func checkSponsor(_ backends: [BackendEntry], _ findings: Findings) {
        if rules.isOpen {
            findings.warning(
                "/tokenService/registration/open", "any program may register as a client",
                expected: "\"initialAccessTokens\" where the clients are known")
        }
        guard let entry = backends.first(where: { $0.backend.reference == backend }) else { return }
        let pointer = "/tokenService/registration/backend"
        if !entry.backend.oauthConsumer || entry.isRevoked {
            findings.error(
                pointer, "the backend accepts no clients", expected: "a backend with \"oauthConsumer\", not revoked")
        }
        if entry.backend.issuer != nil || entry.facebook != nil {
            findings.error(
                pointer, "registered clients get tokens of the token service alone",
                expected: "a backend without \"issuer\" and \"facebook\"")
        }
    }
}

import Model

/// Whether identity providers and those who use them fit together (RP-01, RP-02).
extension GatewayConfiguration {
    /// All of them: those of the section, and those that stand in service domains.
    package var allIdentityProviders: [IdentityProviderEntry] {
        identityProviders + serviceDomains.flatMap { $0.authentication.relyingParty?.inline ?? [] }
    }

    func checkIdentityProviders(_ findings: Findings) {
        for domain in serviceDomains {
            guard let party = domain.authentication.relyingParty else { continue }
            check(domain, party, findings)
        }
        checkSingleSignOn(findings)
        for (place, provider) in allIdentityProviders.enumerated() where !provider.name.isEmpty {
            let earlier = allIdentityProviders[..<place]
            if place >= identityProviders.count, earlier.contains(where: { $0.name == provider.name }) {
                findings.error(
                    JSONPointer.child(provider.pointer, "name"), "duplicate identity provider \"\(provider.name)\"",
                    expected: "a unique name")
            }
            checkAddresses(of: provider, findings)
            guard provider.users.virtualUserEnabled, provider.kind != .local else { continue }
            let rival = earlier.first {
                $0.users.virtualUserEnabled && $0.kind != .local && $0.users.prefix == provider.users.prefix
            }
            if let rival {
                findings.warning(
                    JSONPointer.child(provider.pointer, "usernamePrefix"),
                    "users of \"\(rival.name)\" may have the same names", expected: "a prefix of its own")
            }
        }
    }

    /// Whose e-mail address is his name is whoever the provider says has that address.
    private func checkAddresses(of provider: IdentityProviderEntry, _ findings: Findings) {
        let users = provider.users
        guard provider.kind != .local else { return }
        let isAccount = users.userMappingAttribute == .mail && !users.virtualUserEnabled
        let isOfDomain = serviceDomains.contains {
            let party = $0.authentication.relyingParty
            return party?.providers.contains(provider.name) == true && party?.usernameFromEmail == true
        }
        let isAddress = users.usernameAttribute == "email" || isOfDomain
        if isAccount, !isAddress, users.emailRule == .verified {
            findings.warning(
                JSONPointer.child(provider.pointer, "usernameAttribute"),
                "users log in whose \"\(users.usernameAttribute ?? "sub")\" is their verified \"email\" as well",
                expected: "\"email\"")
        }
        if isAccount || isAddress, users.emailRule == .notUnverified, !users.isEmailRuleStated {
            findings.warning(
                JSONPointer.child(provider.pointer, "verifiedEmail"),
                "users are whom their addresses name, and the provider need not have verified these",
                expected: "\"verifiedEmail\": \"notDenied\" where it has, else \"required\"")
        }
    }

    /// MBE-05: who has single sign-on has somebody who recognises his users.
    private func checkSingleSignOn(_ findings: Findings) {
        guard findings.sources.isReadable("identityProviders") else { return }
        let forms = identityProviders.filter { $0.kind == .local }.map(\.name)
        for (index, backend) in backends.enumerated() where backend.enableSSO && backend.oauthConsumer {
            let pointer = "/backends/\(index)/enableSso"
            if backend.identityProviders.isEmpty, forms.isEmpty {
                findings.error(
                    pointer, "single sign-on is not set up: the backend has no identity provider",
                    expected: "\"identityProvider\" beside it, or one of kind \"local\" in identityProviders.json")
            } else if !tokenService.isEnabled {
                findings.error(
                    pointer, "single sign-on is not set up: the token service is off",
                    expected: "\"tokenService\": {\"enabled\": true}")
            }
            if backend.identityProviders.count(where: forms.contains) > 1 {
                findings.error(
                    "/backends/\(index)/identityProvider", "the gateway has one form",
                    expected: "one provider of kind \"local\"")
            }
        }
    }

    private func check(_ domain: ServiceDomainEntry, _ party: RelyingPartyEntry, _ findings: Findings) {
        let pointer = JSONPointer.child("/serviceDomains", domain.name)
        let forms = allIdentityProviders.filter { $0.kind == .local }.map(\.name)
        let hasForm = party.providers.contains(where: forms.contains)
        if let form = party.providers.first, party.providers.allSatisfy(forms.contains) {
            findings.error(
                "\(pointer)/authentication/provider", "\"\(form)\" is this gateway's own form",
                expected: "a provider of another kind, alone or beside it")
        }
        if party.providers.count(where: forms.contains) > 1 {
            findings.error(
                "\(pointer)/authentication/provider", "the gateway has one form",
                expected: "one provider of kind \"local\"")
        }
        let known = allIdentityProviders.filter { party.providers.contains($0.name) }
        if party.usernameFromEmail == false, known.contains(where: { $0.saml?.isTransient == true }) {
            findings.error(
                "\(pointer)/authentication/usernameFrom", "a transient name is another one at every login",
                expected: "no \"usernameFrom\", or \"email\"")
        }
        if party.exposesToken, known.contains(where: { $0.kind == .saml }) {
            findings.error(
                "\(pointer)/authentication/exposeProviderToken", "a provider of kind \"saml\" gives no token",
                expected: "no \"exposeProviderToken\"")
        }
        for (name, isAsked) in [("kba", domain.authentication.asksQuestion), ("otp", domain.authentication.asksCode)]
        where isAsked && !hasForm {
            findings.error(
                "\(pointer)/authentication/\(name)", "what a login takes is the provider's business",
                expected: "no \"\(name)\"")
        }
        for application in domain.applications {
            guard let scheme = application.urlScheme, URLScheme.isShared(scheme) else { continue }
            findings.error(
                "\(pointer)/applications/\(application.name)/urlScheme", "\"\(scheme)\" is nobody's own scheme",
                expected: "a scheme of the application, or \"redirectUris\"")
        }
    }
}

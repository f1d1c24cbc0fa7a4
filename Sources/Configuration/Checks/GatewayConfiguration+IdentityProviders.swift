import Declaration
import Model

/// Checks of identity providers and their uses (RP-01, RP-02).
extension GatewayConfiguration {
    /// The providers of the section and those inside service domains.
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
            guard provider.users.identity.virtualUserEnabled, provider.kind != .local else { continue }
            let other = earlier.first {
                $0.users.identity.virtualUserEnabled && $0.kind != .local
                    && $0.users.identity.usernamePrefix == provider.users.identity.usernamePrefix
            }
            if let other {
                findings.warning(
                    JSONPointer.child(provider.pointer, "usernamePrefix"),
                    "users of \"\(other.name)\" may have the same names", expected: "a prefix of its own")
            }
        }
    }

    /// Warns of users who are identified by e-mail addresses that the provider may not have verified.
    private func checkAddresses(of provider: IdentityProviderEntry, _ findings: Findings) {
        let users = provider.users
        guard provider.kind != .local else { return }
        let isAccount = users.identity.userMapping == .mail && !users.identity.virtualUserEnabled
        let isOfDomain = serviceDomains.contains {
            let party = $0.authentication.relyingParty
            return party?.providers.contains(provider.name) == true && party?.usernameFromEmail == true
        }
        let isAddress = users.identity.usernameSources.contains { $0.path.isClaim("email") } || isOfDomain
        if isAccount, !isAddress, users.emailRule == .verified {
            findings.warning(
                JSONPointer.child(provider.pointer, "usernameAttribute"),
                "users log in whose \"\(users.identity.usernameSources.first?.path.text ?? "sub")\" is their verified \"email\" as well",
                expected: "\"email\"")
        }
        if isAccount || isAddress, users.emailRule == .notUnverified, !provider.isEmailRuleStated {
            findings.warning(
                JSONPointer.child(provider.pointer, "verifiedEmail"),
                "users are identified by addresses that the provider may not have verified",
                expected: "\"verifiedEmail\": \"notDenied\" if it has, else \"required\"")
        }
    }

    /// Single sign-on needs an identity provider.
    private func checkSingleSignOn(_ findings: Findings) {
        guard findings.sources.isReadable("identityProviders") else { return }
        let forms = identityProviders.filter { $0.kind == .local }.map(\.name)
        for entry in clients {
            entry.checkScopes(tokenService.terms, findings)
            entry.checkName(users, findings)
        }
        tokenService.registration?.checkSponsor(clients, tokenService.terms, findings)
        for entry in clients where entry.client.oauthConsumer {
            let client = entry.client
            let isSponsor = tokenService.registration?.client == client.reference
            guard client.enableSSO || client.grants.asksUsers || isSponsor else { continue }
            let ofDevices = client.isStandard ? "grantTypes" : "deviceGrant"
            let ofClient = client.grants.authorization != nil ? "redirectUris" : ofDevices
            let pointer =
                client.enableSSO || client.grants.asksUsers
                ? "\(entry.pointer)/\(client.enableSSO ? "enableSso" : ofClient)"
                : "/tokenService/registration/client"
            // Users of a client without one log in by the gateway's own form.
            if entry.identityProviders.isEmpty, forms.isEmpty, !client.isStandard {
                findings.error(
                    pointer, "logins are not set up: the backend has no identity provider",
                    expected: "\"identityProvider\" beside it, or one of kind \"local\" in identityProviders.json")
            } else if !tokenService.isEnabled {
                findings.error(
                    pointer, "logins are not set up: the token service is off",
                    expected: "\"tokenService\": {\"enabled\": true}")
            }
            if entry.identityProviders.count(where: forms.contains) > 1 {
                findings.error(
                    "\(entry.pointer)/identityProvider", "the gateway has only one login form",
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
                "\(pointer)/authentication/provider", "the gateway has only one login form",
                expected: "one provider of kind \"local\"")
        }
        let known = allIdentityProviders.filter { party.providers.contains($0.name) }
        if party.usernameFromEmail == false, known.contains(where: { $0.settings?.hasTransientNames == true }) {
            findings.error(
                "\(pointer)/authentication/usernameFrom", "a transient name changes with every login",
                expected: "no \"usernameFrom\", or \"email\"")
        }
        if party.exposesToken, let tokenless = known.first(where: { $0.settings?.issuesTokens == false }) {
            findings.error(
                "\(pointer)/authentication/exposeProviderToken",
                "a provider of kind \"\(tokenless.kind.name)\" issues no token",
                expected: "no \"exposeProviderToken\"")
        }
        for (name, isAsked) in [("kba", domain.authentication.asksQuestion), ("otp", domain.authentication.asksCode)]
        where isAsked && !hasForm {
            findings.error(
                "\(pointer)/authentication/\(name)", "the provider decides about further factors of a login",
                expected: "no \"\(name)\"")
        }
        for application in domain.applications {
            guard let scheme = application.urlScheme, URLScheme.isShared(scheme) else { continue }
            findings.error(
                "\(pointer)/applications/\(application.name)/urlScheme",
                "the scheme \"\(scheme)\" is not specific to an application",
                expected: "a scheme of the application, or \"redirectUris\"")
        }
    }
}

extension [IdentityProviderEntry] {
    /// Names of those whose users need an account.
    package var requiringAccounts: Set<String> {
        Set(filter { !$0.users.identity.virtualUserEnabled }.map(\.name))
    }
}

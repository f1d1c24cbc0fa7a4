import Declaration
import Model

/// Checks of identity providers and their uses (RP-01, RP-02).
extension GatewayConfiguration {
    /// The providers of the section and those that domains declare.
    package var allIdentityProviders: [IdentityProviderEntry] {
        identityProviders + loginDomains.flatMap(\.ownProviders)
    }

    /// Whether a domain names the users of a provider by e-mail address.
    package func namesUsersByEmail(_ provider: String) -> Bool {
        loginDomains.contains { $0.namesByEmail && $0.providers.contains(provider) }
    }

    func checkIdentityProviders(_ findings: Findings) {
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
        let isAddress =
            users.identity.usernameSources.contains { $0.path.isClaim("email") } || namesUsersByEmail(provider.name)
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
        if tokenService.clientDocuments?.rules.hosts.contains(nil) == true {
            findings.warning(
                "/tokenService/clientMetadataDocuments/allowedDomains", "any website may be a client",
                expected: "the hosts of the clients where they are known")
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
}

extension [IdentityProviderEntry] {
    /// Names of those whose users need an account.
    package var requiringAccounts: Set<String> {
        Set(filter { !$0.users.identity.virtualUserEnabled }.map(\.name))
    }
}

import Configuration
import Declaration
import Model

/// The service domains.
package struct ServiceDomainsSection: SectionValue {
    var domains: [ServiceDomainEntry] = []

    package init() {}

    package var features: EndpointFeatures {
        let features: EndpointFeatures = domains.isEmpty ? [] : .serviceDomains
        return domains.contains { $0.authentication.relyingParty != nil } ? features.union(.relyingParties) : features
    }

    package func loginDomains(_ schemes: [AuthenticationSchemeEntry]) -> [LoginDomain] {
        domains.map { $0.login(schemes) }
    }

    package var secrets: [(pointer: String, value: String?)] {
        domains.flatMap { domain in
            let pointer = JSONPointer.child(domain.pointer, "applications")
            return domain.applications.map {
                (JSONPointer.child(pointer, $0.name) + "/sharedSecret", $0.sharedSecret?.value)
            }
        }
    }

    package var tokenLifetimes: [Int64] { domains.flatMap(\.applications).map(\.accessTokenSeconds) }

    /// `serviceDomains.json`.
    package static let declaration = SectionExtension.map(
        "serviceDomains", "Service domains of Mobile & Social by name: circles of applications.",
        of: ServiceDomainEntry.shape(""),
        read: { field in
            var section = ServiceDomainsSection()
            section.domains = ServiceDomainEntry.readAll(field)
            return section
        },
        check: { configuration, findings in
            for domain in configuration.serviceDomains {
                domain.checkProviders(configuration.allIdentityProviders, findings)
            }
        })
}

extension GatewayConfiguration {
    package var serviceDomains: [ServiceDomainEntry] { self[ServiceDomainsSection.self].domains }
}

extension ServiceDomainEntry {
    /// What the forms of authentication schemes need of it.
    fileprivate func login(_ schemes: [AuthenticationSchemeEntry]) -> LoginDomain {
        var login = LoginDomain(name: name)
        login.client = browserApplication?.client
        login.providers = authentication.relyingParty?.providers ?? []
        login.ownProviders = authentication.relyingParty?.inline ?? []
        login.namesByEmail = authentication.relyingParty?.usernameFromEmail ?? false
        login.passwordIssuer = authentication.remote?.issuer
        login.guestRoles = authentication.remote?.guestRoles
        login.highestLevel = authentication.highestLevel(schemes)
        return login
    }

    /// Checks where its users log in by browser (RP-01, RP-02).
    fileprivate func checkProviders(_ all: [IdentityProviderEntry], _ findings: Findings) {
        guard let party = authentication.relyingParty else { return }
        let forms = all.filter { $0.kind == .local }.map(\.name)
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
        let known = all.filter { party.providers.contains($0.name) }
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
        for (name, isAsked) in [("kba", authentication.asksQuestion), ("otp", authentication.asksCode)]
        where isAsked && !hasForm {
            findings.error(
                "\(pointer)/authentication/\(name)", "the provider decides about further factors of a login",
                expected: "no \"\(name)\"")
        }
        for application in applications {
            guard let scheme = application.urlScheme, URLScheme.isShared(scheme) else { continue }
            findings.error(
                "\(pointer)/applications/\(application.name)/urlScheme",
                "the scheme \"\(scheme)\" is not specific to an application",
                expected: "a scheme of the application, or \"redirectUris\"")
        }
    }
}

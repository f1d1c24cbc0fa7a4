import Bytes
import Declaration
import Model

/// Checks of the login forms of authentication schemes (SCH-02).
extension GatewayConfiguration {
    /// The application that browsers log in to by the form of a scheme; nil for a scheme without a form or application.
    package func application(ofForm scheme: AuthenticationSchemeEntry) -> MobileApplicationEntry? {
        guard scheme.challengeMethod == .form else { return nil }
        let name = scheme.formDomain ?? BrowserLoginEndpoints.standardDomain
        return serviceDomains.first { $0.name == name }?.browserApplication
    }

    /// AMB-22: a webgate without a `User-Agent` challenges all clients, including browsers, unless configured otherwise.
    private func warnOfUnseenForms(_ findings: Findings) {
        for (index, webgate) in webgates.enumerated() where webgate.userAgents.isEmpty {
            guard webgate.userAgentMismatch == nil, let name = webgate.authenticationScheme,
                let scheme = authenticationSchemes.first(where: { $0.name == name }), scheme.challengeMethod == .form
            else { continue }
            findings.warning(
                "/webgates/\(index)/authenticationScheme", "no browser is redirected to the form of \"\(name)\"",
                expected: "\"userAgentMismatch\": \"redirect\", or the \"User-Agent\" of clients that are challenged")
        }
    }

    /// Level of a login by password at a service domain (CHAL-06).
    package func passwordLevel(at domain: ServiceDomainEntry) -> Int {
        let authentication = domain.authentication
        let scheme = authenticationSchemes.first { $0.name == authentication.scheme }
        return authentication.level ?? scheme?.level ?? DomainAuthenticationEntry.standardLevel
    }

    /// Level of a login with a question or a code in addition to the password (OMS-14).
    package func strongLevel(at domain: ServiceDomainEntry) -> Int {
        domain.authentication.strongLevel ?? min(passwordLevel(at: domain) + 1, 10)
    }

    private func highestLevel(at domain: ServiceDomainEntry) -> Int {
        let asksMore = domain.authentication.asksQuestion || domain.authentication.asksCode
        return asksMore ? max(passwordLevel(at: domain), strongLevel(at: domain)) : passwordLevel(at: domain)
    }

    func checkLoginForms(_ findings: Findings) {
        warnOfUnseenForms(findings)
        guard findings.sources.isReadable("serviceDomains") else { return }
        for scheme in authenticationSchemes where scheme.challengeMethod == .form && !scheme.challengeURL.isEmpty {
            let pointer = JSONPointer.child(scheme.pointer, "challengeUrl")
            if !scheme.hasFormPath {
                findings.error(
                    pointer, "\"\(scheme.formPath)\" is not a valid path of a form",
                    expected: "segments of letters, digits, - . _ ~ without a slash at the end")
            }
            if scheme.formTarget.contains("target=") {
                findings.error(pointer, "\"target\" is reserved", expected: "a query without it")
            }
            let name = scheme.formDomain ?? BrowserLoginEndpoints.standardDomain
            let domain = serviceDomains.first { $0.name == name }
            if let domain, application(ofForm: scheme) != nil {
                checkLevel(of: scheme, at: domain, findings)
            } else if let domain {
                findings.error(
                    pointer, "\"\(domain.name)\" has no application for logins by browser",
                    expected: "a service domain with \"defaultApplication\", an agent, or one application")
            } else {
                findings.error(
                    pointer, "unknown service domain \"\(name)\"", expected: "?serviceDomain= of serviceDomains.json",
                    suggestion: Suggestion.nearest(to: name, among: serviceDomains.map(\.name)))
            }
        }
    }

    /// Warns of a form whose logins never reach the level of its scheme.
    private func checkLevel(
        of scheme: AuthenticationSchemeEntry, at domain: ServiceDomainEntry, _ findings: Findings
    ) {
        let highest = highestLevel(at: domain)
        guard scheme.level > highest else { return }
        findings.warning(
            JSONPointer.child(scheme.pointer, "authenticationLevel"),
            "no login at \"\(domain.name)\" reaches level \(scheme.level), so that logins by the form never suffice",
            expected: "\(highest) at the most, or \"kba\", \"otp\" or \"strongLevel\" of the domain")
    }
}

extension AuthenticationSchemeEntry {
    /// Whether the path of its form is in the normalised form that requests are matched in (ROLE-05).
    fileprivate var hasFormPath: Bool {
        let segments = formPath.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return !segments.isEmpty
            && segments.allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".."
                    && segment.utf8.allSatisfy {
                        ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0)
                    }
            }
    }
}

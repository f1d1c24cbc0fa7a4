import Bytes
import Declaration
import Model

/// Checks of the login forms of authentication schemes (SCH-02).
extension GatewayConfiguration {
    /// The domain that browsers log in to by the form of a scheme; nil for a scheme without a form or domain.
    package func domain(ofForm scheme: AuthenticationSchemeEntry) -> LoginDomain? {
        guard scheme.challengeMethod == .form else { return nil }
        let name = scheme.formDomain ?? LoginDomainName.standard
        return loginDomains.first { $0.name == name }
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
            let name = scheme.formDomain ?? LoginDomainName.standard
            let domain = domain(ofForm: scheme)
            if let domain, domain.client != nil {
                checkLevel(of: scheme, at: domain, findings)
            } else if let domain {
                findings.error(
                    pointer, "\"\(domain.name)\" has no application for logins by browser",
                    expected: "a service domain with \"defaultApplication\", an agent, or one application")
            } else {
                findings.error(
                    pointer, "unknown service domain \"\(name)\"", expected: "?serviceDomain= of serviceDomains.json",
                    suggestion: Suggestion.nearest(to: name, among: loginDomains.map(\.name)))
            }
        }
    }

    /// Warns of a form whose logins never reach the level of its scheme.
    private func checkLevel(
        of scheme: AuthenticationSchemeEntry, at domain: LoginDomain, _ findings: Findings
    ) {
        let highest = domain.highestLevel
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

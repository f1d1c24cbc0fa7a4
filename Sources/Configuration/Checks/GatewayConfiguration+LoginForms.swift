import Bytes

/// Whether the login forms of authentication schemes lead anywhere (SCH-02).
extension GatewayConfiguration {
    /// The application that browsers log in to by the form of a scheme; nil for a scheme without a form, and for one that
    /// leads to no application.
    package func application(ofForm scheme: AuthenticationSchemeEntry) -> MobileApplicationEntry? {
        guard scheme.challengeMethod == .form else { return nil }
        let name = scheme.formDomain ?? "Default"
        return serviceDomains.first { $0.name == name }?.browserApplication
    }

    func checkLoginForms(_ findings: Findings) {
        guard findings.sources.isReadable("serviceDomains") else { return }
        for scheme in authenticationSchemes where scheme.challengeMethod == .form && !scheme.challengeURL.isEmpty {
            let pointer = JSONPointer.child(scheme.pointer, "challengeUrl")
            if !GatewayConfiguration.isPath(scheme.formPath) {
                findings.error(
                    pointer, "\"\(scheme.formPath)\" is no path for a form",
                    expected: "segments of letters, digits, - . _ ~ without a slash at the end")
            }
            if scheme.formTarget.contains("target=") {
                findings.error(pointer, "\"target\" is the gateway's own", expected: "a query without it")
            }
            guard application(ofForm: scheme) == nil else { continue }
            let name = scheme.formDomain ?? "Default"
            if let domain = serviceDomains.first(where: { $0.name == name }) {
                findings.error(
                    pointer, "nobody knows which application of \"\(domain.name)\" browsers log in to",
                    expected: "a service domain with \"defaultApplication\", an agent, or one application")
            } else {
                findings.error(
                    pointer, "unknown service domain \"\(name)\"", expected: "?serviceDomain= of serviceDomains.json",
                    suggestion: Suggestion.nearest(to: name, among: serviceDomains.map(\.name)))
            }
        }
    }

    /// Whether it is in the one form that requests are matched in (ROLE-05).
    private static func isPath(_ text: String) -> Bool {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return !segments.isEmpty
            && segments.allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".."
                    && segment.utf8.allSatisfy {
                        ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0)
                    }
            }
    }
}

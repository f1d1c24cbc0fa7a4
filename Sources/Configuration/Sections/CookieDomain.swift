import Bytes
import Declaration
import Model

/// The domain of a cookie that several hosts share (RFC 6265 section 4.1.2.3).
enum CookieDomain {
    static let pattern = "^[a-z0-9-]+(\\.[a-z0-9-]+)+$"

    /// Second levels below which countries register names of different owners.
    private static let secondLevels: Set<Substring> = [
        "ac", "co", "com", "edu", "gob", "gov", "go", "govt", "gouv", "ltd", "me", "mil", "ne", "net", "nhs", "nom",
        "or",
        "org", "plc", "sch",
    ]
    /// Domains whose hosts belong to different customers.
    private static let shared: Set<String> = [
        "amazonaws.com", "appspot.com", "azurewebsites.net", "cloudapp.net", "cloudfront.net", "firebaseapp.com",
        "fly.dev",
        "github.io", "gitlab.io", "herokuapp.com", "netlify.app", "ngrok.app", "ngrok.io", "onrender.com", "pages.dev",
        "run.app", "vercel.app", "web.app", "workers.dev",
    ]

    static func read(_ field: Field) -> String? {
        let expected = "a domain such as \"example.com\", in lower case and without a dot in front"
        guard let text = field.text(expected) else { return nil }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
        }
        guard isName, !AddressText.isIPv4(Array(text.utf8).span) else { return field.invalid(expected) }
        guard !isPublic(labels) else {
            return field.error(
                "hosts of others are below it, and would get the cookie", expected: "a domain of your own",
                found: field.summary)
        }
        return text
    }

    /// Whether names below it belong to different owners. Browsers know more of these, and refuse cookies for them.
    private static func isPublic(_ labels: [Substring]) -> Bool {
        guard labels.count > 1 else { return true }
        if shared.contains(labels.joined(separator: ".")) { return true }
        return labels.count == 2 && labels[1].utf8.count == 2 && secondLevels.contains(labels[0])
    }
}

extension SessionsSection {
    /// Reports a domain that hosts with logins would get no cookie of.
    /// - Parameter origins: those of the gateway.
    func checkCookieDomain(of routes: [RouteEntry], _ origins: [WebOrigin], _ findings: Findings) {
        guard let domain = cookieDomain else { return }
        func isOutside(_ host: String) -> Bool { !host.isExactly(domain) && !host.hasSuffix(".\(domain)") }
        if let other = origins.map(\.host).first(where: isOutside) {
            findings.error(
                "/sessions/cookieDomain", "\"\(other)\" is not below it", expected: "a parent domain of all base URLs",
                found: "\"\(domain)\"")
        }
        for (index, route) in routes.enumerated() where route.login != nil {
            for (place, host) in route.hosts.enumerated() where isOutside(String(decoding: host.name, as: UTF8.self)) {
                findings.error(
                    "/routes/\(index)/hosts/\(place)", "the host gets no cookie of \"\(domain)\"",
                    expected: "a host below \"cookieDomain\" of \"sessions\"", found: "\"\(host)\"")
            }
        }
    }
}

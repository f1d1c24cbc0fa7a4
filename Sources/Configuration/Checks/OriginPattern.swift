import Bytes

/// Advice on the URL patterns of `Security_AllowOrigin` and `allowOrigin` (CORS-03 to CORS-05). A pattern that matches
/// nothing refuses and is no danger, so most of it is a warning.
enum OriginPattern {
    /// Why an entry never matches an origin, or nil.
    static func neverMatches(_ entry: Substring) -> (reason: String, suggestion: String?)? {
        if entry == "*" { return ("a pattern names scheme and host, and there is no pattern for every origin", nil) }
        if entry == "null" { return ("the origin \"null\" is always refused", nil) }
        guard let separator = entry.firstRange(of: "://") else {
            return ("it has no scheme", "https://\(entry)")
        }
        let scheme = entry[..<separator.lowerBound]
        guard scheme.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }),
            !scheme.isEmpty
        else { return ("its scheme is not literal", nil) }
        let rest = entry[separator.upperBound...]
        if let slash = rest.firstIndex(where: { "/?#".contains($0) }) {
            // CORS-04: origins have no path, not even a slash.
            return ("it has a path or trailing slash", String(entry[..<slash]))
        }
        if rest.isEmpty { return ("it has no host", nil) }
        return badPort(rest).map { ($0, nil) }
    }

    /// Whether `*` stands in the last label of the host, so that whoever registers a name there is let in.
    static func isOpenEnded(_ entry: Substring) -> Bool {
        guard let separator = entry.firstRange(of: "://") else { return false }
        return host(entry[separator.upperBound...]).split(separator: ".").last?.contains("*") == true
    }

    /// Whether only browsers on the gateway's own machine are meant (CORS-09).
    static func isLocal(_ entry: Substring) -> Bool {
        guard let separator = entry.firstRange(of: "://") else { return false }
        let host = host(entry[separator.upperBound...]).lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }

    private static func host(_ authority: Substring) -> Substring {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end] }
        return authority.prefix { $0 != ":" && $0 != "/" }
    }

    private static func badPort(_ authority: Substring) -> String? {
        let port = authority.dropFirst(host(authority).count)
        if port.isEmpty { return nil }
        let digits = port.dropFirst().replacing("*", with: "1")
        guard port.hasPrefix(":"), let number = Decimal.parse(Array(digits.utf8).span), number <= 65_535 else {
            return "its port is not a number or \"*\""
        }
        return nil
    }
}

extension Field {
    /// `disallow`, or patterns of origins separated by commas (CORS-01).
    func originPatterns() -> String? {
        guard let text = text("\"disallow\" or a comma-separated list of origins") else { return nil }
        let entries = text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
        for entry in entries {
            if entry == "disallow" {
                if entries.count > 1 {
                    warning(
                        "\"disallow\" in a list is a pattern that never matches",
                        expected: "\"disallow\" alone, or origins")
                }
            } else if let (reason, suggestion) = OriginPattern.neverMatches(entry) {
                warning(
                    "the pattern \"\(entry)\" never matches: \(reason)",
                    expected: "a pattern such as \"https://*.example.com\"", suggestion: suggestion)
            } else {
                if OriginPattern.isOpenEnded(entry) {
                    warning(
                        "the pattern \"\(entry)\" has \"*\" in the last label of the host, which anybody can register",
                        expected: "a literal top-level domain")
                }
                if findings.production, OriginPattern.isLocal(entry) {
                    warning("the pattern \"\(entry)\" is for development", expected: "the origin of the application")
                }
            }
        }
        return text
    }
}

extension Substring {
    /// Without blanks and tabs at both ends.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.hasSuffix(" ") || text.hasSuffix("\t") { text.removeLast() }
        return text
    }
}

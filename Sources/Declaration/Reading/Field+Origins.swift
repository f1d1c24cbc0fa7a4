import Model

extension WebOrigin {
    /// Placeholder for a missing or invalid origin.
    package static let placeholder = WebOrigin(isSecure: false, host: "localhost", port: 80)
}

/// URLs, origins and patterns of them.
extension Field {
    /// A base URL: scheme, host and port.
    /// - Parameters:
    ///   - host: the expectation to report for an invalid host.
    ///   - path: whether a path may follow, which is ignored.
    package func origin(host expectedHost: String? = nil, ignoring path: Bool = false) -> WebOrigin? {
        let expected = "an origin such as \"https://api.example.com\""
        guard let text = text(expected) else { return nil }
        do throws(WebURL.Problem) {
            return try WebOrigin(path ? text.splitPath.origin : text)
        } catch {
            switch error {
            case .scheme: invalid("\(expected), with http or https")
            case .userInformation: invalid("\(expected), without user name and password")
            case .path, .target, .fragment, .tooLong:
                let bare = text.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
                invalid(
                    "\(expected), without path, query or trailing slash",
                    suggestion: bare == text || text.contains("@") ? nil : bare)
            case .host: invalid(expectedHost ?? "\(expected), with a host name or IP address")
            case .port: invalid("\(expected), with a port from 1 to 65535")
            }
            return nil
        }
    }

    /// An `https` URL, or an `http` URL if allowed (JWT-32).
    package func url(allowHTTP: Bool) -> WebURL? {
        let expected = allowHTTP ? "an http or https URL" : "an https URL"
        guard let text = name(expected) else { return nil }
        do throws(WebURL.Problem) {
            let url = try WebURL(text)
            if url.isSecure || allowHTTP { return url }
            error("not encrypted", expected: "an https URL, or \"allowHttp\": true", found: summary)
        } catch {
            switch error {
            case .target, .tooLong: self.error("invalid value: \(error.rawValue)", expected: expected, found: summary)
            default: invalid(expected)
            }
        }
        return nil
    }

    /// `disallow`, or patterns of origins separated by commas (CORS-01 to CORS-05). Problems are warnings, since a
    /// pattern that matches nothing is harmless.
    package func allowedOrigins() -> AllowOriginPolicy? {
        guard let text = text("\"disallow\" or a comma-separated list of origins") else { return nil }
        let policy = AllowOriginPolicy(text)
        for problem in policy.problems { warn(of: problem) }
        for pattern in policy.patterns where findings.production && pattern.isLocal {
            warning("the pattern \"\(pattern)\" is for development only", expected: "the origin of the application")
        }
        return policy
    }

    private func warn(of problem: AllowOriginPolicy.Problem) {
        let entry = UserInformation.hidden(inValue: problem.pattern)
        func neverMatches(_ reason: String, suggestion: String? = nil) {
            warning(
                "the pattern \"\(entry)\" never matches: \(reason)",
                expected: "a pattern such as \"https://*.example.com\"", suggestion: suggestion)
        }
        switch problem.kind {
        case .keywordInList:
            warning(
                "\"disallow\" in a list is a pattern that never matches", expected: "\"disallow\" alone, or origins")
        case .wildcardInLastLabel:
            warning(
                "the pattern \"\(entry)\" has \"*\" in the last label of the host, which matches any domain",
                expected: "a literal top-level domain")
        case .path:
            // CORS-04: origins have no path, not even a slash.
            let bare = entry.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
            neverMatches("it has a path or trailing slash", suggestion: bare)
        case .invalid where entry == "*":
            neverMatches("a pattern needs a scheme and a host; no pattern matches every origin")
        case .invalid where entry == "null": neverMatches("the origin \"null\" is always refused")
        case .invalid(let problem):
            neverMatches(problem.rawValue, suggestion: problem == .noScheme ? "https://\(entry)" : nil)
        }
    }
}

extension String {
    /// The text before the path of a URL, and the path.
    package var splitPath: (origin: String, path: String) {
        let parts = split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return (parts.prefix(3).joined(separator: "/"), parts.count == 4 ? "/\(parts[3])" : "")
    }
}

import Bytes
import Model

extension Shape<[String]> {
    /// Protocols of `Upgrade`.
    package static let upgrades = Shape.texts(
        .list(
            .pattern(
                "^[A-Za-z0-9!#$%&'*+.^_`|~-]+(/[A-Za-z0-9!#$%&'*+.^_`|~-]+)?$",
                not: "^([Hh]2[Cc]?|[Hh][Tt]{2}[Pp]|[Tt][Ll][Ss])(/|$)"))
    ) { $0.upgrades() }
}

extension Shape<String> {
    /// A path without wildcards.
    package static let literalPath = text(
        .named("path", .described("A path without wildcards.", .pattern("^/[^*?#]*$")))
    ) { $0.literalPath() }
}

/// Values that are pieces of HTTP.
extension Field {
    /// The name of a header field: a token (RFC 9110 section 5.6.2) other than `*`.
    package func headerName() -> String? {
        guard let text = text("the name of a header field") else { return nil }
        guard Token.isValid(text), text != "*" else { return invalid("the name of a header field") }
        return text
    }

    /// A text that is compared with a header field: visible ASCII without blanks.
    package func fieldValue() -> String? {
        let expected = "visible ASCII characters without blanks"
        guard let text = text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return error("invalid value", expected: expected)
        }
        return text
    }

    /// Names of request fields, or prefixes that end with `-*`.
    package func managedHeaders() -> [String]? {
        let expected = "a header field name, or the beginning of names followed by \"-*\""
        // These fields frame the message.
        let needed = [
            "host", "connection", "contentlength", "contenttype", "transferencoding", "te", "trailer", "upgrade",
            "expect",
        ]
        return elements("an array of header field names")?.compactMap { element in
            guard let text = element.text(expected) else { return nil }
            let isFamily = text.hasSuffix("-*")
            let name = isFamily ? String(text.dropLast(2)) : text
            let letters = String(decoding: FieldSkeleton.of(name), as: UTF8.self)
            guard Token.isValid(name), !name.contains("*"), (2...63).contains(letters.utf8.count) else {
                return element.invalid(expected)
            }
            if isFamily ? ["content", "transfer"].contains(letters) : needed.contains(letters) {
                return element.error("\"\(text)\" is part of the message itself", expected: "another field")
            }
            return text
        }
    }

    /// A method that can be routed.
    package func methodName(_ name: String) -> String? {
        let common = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        if ["CONNECT", "TRACE"].contains(name) {
            return error("\(name) is never forwarded", expected: "another method")
        }
        // Methods are case-sensitive (RFC 9110 section 9.1); no registered one has lower-case letters.
        guard Token.isValid(name), name == name.uppercased() else {
            return error(
                "invalid method", expected: "a method in upper case", found: "\"\(name)\"",
                suggestion: Suggestion.nearest(to: name, among: common))
        }
        if !common.contains(name), let near = Suggestion.nearest(to: name, among: common) {
            warning("uncommon method \"\(name)\"", suggestion: near)
        }
        return name
    }

    /// Protocols of `Upgrade`, in lower case, since their names are case-insensitive (RFC 9110 section 7.8).
    package func upgrades() -> [String]? {
        let expected = "the name of a protocol, such as \"websocket\""
        return names("an array of protocols") { element in
            guard let text = element.text(expected) else { return nil }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, parts.allSatisfy({ Token.isValid(String($0)) }), text != "*" else {
                return element.invalid(expected, suggestion: Suggestion.nearest(to: text, among: ["websocket"]))
            }
            let name = text.lowercased()
            // Requests in such a connection would reach the upstream without a decision.
            guard !["h2c", "h2", "http", "tls"].contains(String(name.prefix { $0 != "/" })) else {
                return element.error(
                    "\"\(text)\" would carry requests that the gateway does not see", expected: "another protocol")
            }
            return name
        }
    }

    /// A path without wildcards.
    package func literalPath() -> String? {
        guard let path = text("a path such as \"/oauth2/token\"") else { return nil }
        let problem: String
        do throws(PathPattern.Problem) {
            let pattern = try PathPattern(path)
            if !pattern.isDeep, !pattern.segments.contains(.one) { return path }
            problem = "wildcards are for routes"
        } catch {
            problem = error.rawValue
        }
        return error("invalid path: \(problem)", expected: "a path such as \"/oauth2/token\"", found: summary)
    }
}

/// `token` of RFC 9110 section 5.6.2.
package enum Token {
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                ASCII.isLetter($0) || ASCII.isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }
}

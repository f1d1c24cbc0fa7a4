import Bytes
import Declaration
import Model

extension ProtectedResource {
    /// `true`, or an object.
    static let shape = Shape<ProtectedResource?>(
        .either([.flag, members.form()]),
        read: { field in
            if let flag = field.node.bool { return .some(flag ? ProtectedResource() : nil) }
            guard field.node.members != nil else {
                return field.wrongType("true, or {\"resource\", \"name\", \"documentation\", \"scopes\"}")
            }
            return members.read(field).map { .some($0) }
        })

    private static let members = Shape<ProtectedResource>.object("true, or an object") { object in
        var resource = ProtectedResource()
        resource.resource = object.optional(
            "resource", Shape(.text, read: identifier),
            "Its identifier, an `https` URL; by default `baseUrl` and the beginning of `path` up to the first wildcard."
        )
        resource.name = object.optional("name", .name, "Its name for people.")
        resource.documentation = object.optional(
            "documentation", Shape(.text, read: { $0.url(allowHTTP: false) }), "URL of a page for developers.")
        resource.scopes = object.optional(
            "scopes", .scopes, "Scopes that clients may ask for; by default those of the route's `scopes`.")
        return resource
    }

    /// Identifiers of any kind (RFC 8707 section 2).
    static let identifiers = Shape<[String]>.texts(.list(.text)) { field in
        let expected = "an absolute URI without fragment, such as \"https://api.example.com\""
        return field.names("an array of URIs") { element in
            guard let text = element.text(expected) else { return nil }
            let scheme = text.utf8.prefix { $0 != ASCII.colon }
            guard text.utf8.first.map(ASCII.isLetter) == true, scheme.count + 1 < text.utf8.count,
                scheme.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }),
                text.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != UInt8(ascii: "#") })
            else { return element.error("no identifier of a resource", expected: expected, found: element.summary) }
            return text
        }
    }

    private static func identifier(_ field: Field) -> WebURL? {
        let expected = "an https URL without query and fragment, such as \"https://api.example.com/mcp\""
        guard let text = field.text(expected) else { return nil }
        do throws(WebURL.Problem) {
            let url = try WebURL(text)
            // RFC 9728 section 1.2; for development at the loopback interface, too.
            guard url.isSecure || url.origin.isLocal else {
                return field.error("not encrypted", expected: expected, found: field.summary)
            }
            guard !url.target.contains("?") else {
                return field.error("a resource has no query here", expected: expected, found: field.summary)
            }
            return url
        } catch {
            return field.error("invalid value: \(error.rawValue)", expected: expected, found: field.summary)
        }
    }
}

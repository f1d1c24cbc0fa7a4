/// Which token is sent to the upstream, and how (CACHE-04).
package struct InjectionEntry: Sendable {
    /// Name of an issuer.
    package var issuer: String
    package var header: String
    /// Text of the field with `{token}` once.
    package var format: String

    /// Fields that frame the message or steer the connection: a token there would break the request.
    private static let reserved = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade",
        "proxy-connection", "expect",
    ]

    static func read(_ field: Field) -> InjectionEntry? {
        var object = field.object("an injection: {\"issuer\", \"header\", \"format\"}")
        let entry = InjectionEntry(
            issuer: object.required("issuer", "the name of an issuer", standIn: "") { $0.reference(to: .issuer) },
            header: object.value("header", default: "Authorization", header),
            format: object.value("format", default: "Bearer {token}", format)
        )
        object.finish()
        return entry
    }

    private static func header(_ field: Field) -> String? {
        guard let name = field.headerName() else { return nil }
        guard !reserved.contains(name.lowercased()) else {
            field.error(
                "the field \"\(name)\" belongs to the connection", expected: "a header field that may carry a token")
            return nil
        }
        return name
    }

    private static func format(_ field: Field) -> String? {
        let expected = "visible ASCII text with \"{token}\" once, such as \"Bearer {token}\""
        guard let text = field.text(expected) else { return nil }
        guard text.ranges(of: "{token}").count == 1, text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }),
            !text.hasPrefix(" "), !text.hasSuffix(" ")
        else {
            field.invalid(expected)
            return nil
        }
        return text
    }
}

import Bytes
import Declaration
import Model

extension InjectionEntry {
    /// Fields that frame the message or control the connection, and fields that the gateway writes. Compared as by
    /// upstreams that treat every other character as `_` (GW-09).
    private static let reserved = [
        "host", "content_length", "transfer_encoding", "connection", "keep_alive", "te", "trailer", "upgrade",
        "proxy_connection", "expect", "content_type", "content_encoding", "via", "forwarded", "x_forwarded",
        "x_real_ip", "x_request_id", "http2_settings",
    ]
    private static let reservedFamilies = ["x_gateway_", "x_forwarded_"]

    /// - Parameter isOfRoute: whether it may be the token of a login, which a webgate has none of.
    private static func shape(isOfRoute: Bool) -> Shape<InjectionEntry> {
        .object("an injection: {\"issuer\", \"header\", \"format\"}") { object in
            let issuer = object.optional(
                "issuer", .reference(to: .issuer), "Name of an issuer in `issuers.json`.")
            var source: Source?
            if isOfRoute {
                source = object.optional(
                    "from", .choice,
                    """
                    `login` for the access token of the [provider](guides/login-tokens.md#tokens) where the browser has \
                    logged in.
                    """)
            }
            let sources = isOfRoute ? ["issuer", "from"] : ["issuer"]
            object.rules(.exactlyOne(of: sources, none: "no source of the token"))
            return InjectionEntry(
                issuer: issuer ?? source.map { _ in InjectionEntry.login } ?? "",
                header: object.value(
                    "header", Shape.headerName.reading(header), default: "Authorization",
                    "Header field that carries the token; none that the gateway writes itself."),
                format: object.optional(
                    "format", .text(.pattern("^[^{]*\\{token\\}[^{]*$"), format),
                    "Text of the field, with `{token}` once; by default that of the scheme, such as `Bearer {token}`."),
                retriesOnUnauthorized: object.flag(
                    "retryOnUnauthorized", default: true,
                    """
                    Whether a request without body that the upstream refuses with 401 is sent once more with \
                    [another token](guides/upstream-tokens.md).
                    """),
                pointer: object.field.pointer
            )
        }
        .named(isOfRoute ? "injection" : "webgateInjection")
    }

    /// Where a token comes from that is no issuer's.
    private enum Source: String, CaseIterable { case login }

    /// One injection or several, each in a field of its own.
    static func oneOrMore(isOfRoute: Bool) -> Shape<[InjectionEntry]> {
        let shape = shape(isOfRoute: isOfRoute)
        return Shape(
            .either([shape.form(), .list(shape.form(), minimum: 1, maximum: mostInjections)]),
            read: { readAll($0, shape) })
    }

    /// Each costs a look into the cache for every request.
    private static let mostInjections = 8

    private static func readAll(_ field: Field, _ shape: Shape<InjectionEntry>) -> [InjectionEntry]? {
        guard field.node.array != nil else { return shape.read(field).map { [$0] } }
        let elements = field.elements("an injection, or an array of them") ?? []
        guard (1...mostInjections).contains(elements.count) else {
            return field.error(
                "\(elements.isEmpty ? "no" : "\(elements.count)") injections", expected: "1 to \(mostInjections)")
        }
        var entries: [InjectionEntry] = []
        for element in elements {
            guard let entry = shape.read(element) else { continue }
            if let other = entries.first(where: { FieldRules.isAlias($0.header, entry.header) }) {
                element.error(
                    "the field \"\(other.header)\" carries the token of \(other.pointer)",
                    expected: "a \"header\" of its own for each injection", found: "\"\(entry.header)\"")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func header(_ field: Field) -> String? {
        guard let name = field.headerName() else { return nil }
        let plain = String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        guard !reserved.contains(plain), !reservedFamilies.contains(where: plain.hasPrefix) else {
            return field.error(
                "the field \"\(name)\" belongs to the gateway", expected: "a header field that may carry a token")
        }
        return name
    }

    private static func format(_ field: Field) -> String? {
        let expected = "visible ASCII text with \"{token}\" once, such as \"Bearer {token}\""
        guard let text = field.text(expected) else { return nil }
        guard text.ranges(of: "{token}").count == 1, text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }),
            !text.hasPrefix(" "), !text.hasSuffix(" ")
        else { return field.invalid(expected) }
        return text
    }
}

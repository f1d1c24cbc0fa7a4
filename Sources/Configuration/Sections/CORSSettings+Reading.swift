import Declaration
import Model

/// A kind of clients whose fields are known.
private enum CORSPreset: String, CaseIterable, Sendable {
    case mcp

    var allowHeaders: [String] {
        ["Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"]
    }
    /// Scripts read the challenge of a 403 as well, which asks for more scopes.
    var exposeHeaders: [String] { ["Mcp-Session-Id", "WWW-Authenticate"] }
}

extension CORSSettings {
    /// Of a route: what it names is in place of the gateway's.
    static let shape = Shape.object("an object of CORS settings") { object in
        var settings = read(&object)
        object.read(
            "allowOrigins", origins, into: &settings.allowOrigin,
            "Origins such as `https://app.example.com` or `https://*.example.com`, in place of `Security_AllowOrigin`.")
        object.read(
            "allowMethods", methods, into: &settings.allowMethods,
            "Methods that pages of other origins may use; those of the route by default. `GET` includes `HEAD`.")
        return settings
    }
    .named("cors")

    static func read(_ object: inout ObjectReader) -> CORSSettings {
        let headers = Shape.headerName.list("an array of header field names", isUnique: false)
        var settings = CORSSettings()
        object.read(
            "allowCredentials", .flag, into: &settings.allowCredentials,
            "Whether browsers may send cookies and logins (`Access-Control-Allow-Credentials`); not by default.")
        settings.maxAgeSeconds =
            object.optional(
                "maxAge", .duration, "How long browsers may keep the answer to a preflight; 10 minutes by default."
            )
            .map { Int($0.components.seconds) }
        let preset = object.optional(
            "preset", Shape<CORSPreset>.choice,
            "Fields of a kind of clients, beside those of `allowHeaders` and `exposeHeaders`: `mcp`.")
        object.read(
            "allowHeaders", headers, into: &settings.allowHeaders,
            "Request fields that are allowed beyond the built-in list.")
        object.read(
            "exposeHeaders", headers, into: &settings.exposeHeaders,
            "Response fields that scripts may read beyond the built-in list.")
        if let preset {
            settings.allowHeaders = preset.allowHeaders + (settings.allowHeaders ?? [])
            settings.exposeHeaders = preset.exposeHeaders + (settings.exposeHeaders ?? [])
        }
        object.read(
            "trialOrigins", origins, into: &settings.trialOrigin,
            """
            Origins [on trial](guides/trial.md): requests of pages that this list would refuse, and the list in \
            force allows, are logged and counted.
            """)
        object.read(
            "allowPrivateNetwork", .flag, into: &settings.allowPrivateNetwork,
            "Whether public pages may call a gateway in a private network (`Access-Control-Allow-Private-Network`).")
        return settings
    }

    private static let methods = Shape(.list(.pattern(MethodEntry.name))) { field in
        field.names("an array of methods") { element in element.name().flatMap(element.methodName) }
    }

    /// The patterns of the list, as one policy.
    static let origins = Shape(.list(.text)) { field -> AllowOriginPolicy? in
        guard let elements = field.elements("an array of origins") else { return nil }
        let texts = elements.compactMap { element -> String? in
            guard let policy = element.allowedOrigins() else { return nil }
            guard !policy.text.contains(",") else {
                return element.error(
                    "no single origin", expected: "an origin such as \"https://app.example.com\"",
                    found: element.summary)
            }
            return policy.text
        }
        return AllowOriginPolicy(texts.joined(separator: ","))
    }
}

import Bytes
import Declaration
import Model

extension Expectation {
    static func readAll(_ field: Field) -> [Expectation] {
        (field.elements("an array of expectations") ?? []).compactMap { shape.read($0) }.compactMap(\.self)
    }

    static let shape = Shape<Expectation?>.object("an expectation: {\"request\", and what must come}") { object in
        let request = readRequest(&object)
        let name = object.optional("name", .name, "What reports call it; the request and the caller by default.")
        let outcome = object.optional(
            "outcome", Shape<RequestOutcome>.choice,
            """
            What becomes of the request: `forwarded` to an upstream, `answered` by the gateway itself, a browser sent to a \
            `login`, or `refused`.
            """)
        let status = object.optional(
            "status", .integer(200...599, "a status"), "The status of an answer of the gateway's own.")
        let reason = object.optional(
            "reason", code,
            "The code of a refusal, or of what a login is for ([list](reference/reasons.md)).")
        let route = object.optional("route", .reference(to: .route), "Name of the route.")
        let identity = object.optional(
            "identity", fieldValues,
            """
            Values of fields about the caller that the upstream gets, such as `X-Gateway-User` and those of the route; null for \
            one that it must not get.
            """)
        let tokens = object.optional(
            "tokens", issuers,
            "The tokens that the upstream gets, all of them: names of issuers by the field that has the token.")
        object.rules(
            .atLeastOne(
                of: "outcome", "status", "reason", "route", "identity", "tokens", because: "nothing is expected"))
        guard let request else { return nil }
        var expectation = Expectation(request)
        expectation.name = name
        (expectation.outcome, expectation.status, expectation.reason) = (outcome, status, reason)
        (expectation.route, expectation.identity, expectation.tokens) = (route, identity ?? [], tokens)
        return expectation
    }

    private static func readRequest(_ object: inout ObjectReader) -> RequestDescription? {
        let request = object.required(
            "request", requestLine, "a method and a path: \"GET /orders/1\"",
            "Method and path, with the query, such as `\"GET /orders/1\"`.")
        let host = object.optional(
            "host", .fieldValue, "Host of the request; that of `baseUrl` by default.")
        let fields = object.optional("headers", fieldValues, "Further header fields, such as `Accept` or `Origin`.")
        let address = object.optional("from", .address, "Address of the client; `127.0.0.1` by default.")
        let isEncrypted = object.flag("tls", default: true, "Whether the client's connection is encrypted.")
        let caller = object.optional(
            "caller", CallerDescription.shape, "Who calls; a caller without a credential by default.")
        guard var request else { return nil }
        (request.host, request.isEncrypted) = (host, isEncrypted)
        for (name, _) in fields ?? [] where ["authorization", "cookie", "x-api-key"].contains(name.lowercased()) {
            object.field.error("\"\(name)\" is a credential", expected: "the caller in \"caller\"")
        }
        request.fields = (fields ?? []).compactMap { name, value in value.map { (name, $0) } }
        request.address = address ?? IPAddress("127.0.0.1")
        request.caller = caller.flatMap(\.self) ?? .anonymous
        return request
    }

    private static let code = Shape.text(.pattern("^[a-z0-9_]+$")) { field -> String? in
        guard let text = field.node.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || ASCII.isDigit($0) || (97...122).contains($0) })
        else { return field.error("no code", expected: "the code of a reason", found: field.summary) }
        return text
    }

    private static let requestLine = Shape<RequestDescription>(.pattern("^[!-~]+ /[!-~]*$")) { field in
        let parts = field.node.string?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, Token.isValid(String(parts[0])), parts[1].utf8.first == ASCII.slash,
            parts[1].utf8.allSatisfy({ $0 > ASCII.space && $0 < 127 })
        else {
            return field.error(
                "no method and path", expected: "a method, a blank and a path: \"GET /orders/1\"",
                found: field.summary)
        }
        return RequestDescription(String(parts[0]), String(parts[1]))
    }

    /// Values by field name, with null for none.
    private static let fieldValues = Shape<[(name: String, value: String?)]>(
        .map(.either([.anyText, .schema([JSONMember(name: "type", node: .text("null"))])]), names: Form.tokenPattern)
    ) { field in
        field.object("an object of values by field name").entries.compactMap { name, place in
            guard Token.isValid(name) else {
                return place.error("\"\(name)\" is no name of a field", expected: "a header field name")
            }
            if place.node.isNull { return (name, nil) }
            guard let text = place.node.string, text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
                return place.error("no value of a field", expected: "a text without control characters, or null")
            }
            return (name, text)
        }
    }

    private static let issuers = Shape<[(field: String, issuer: String)]>(
        .map(ReferenceKind.issuer.form, names: Form.tokenPattern)
    ) { field in
        field.object("an object of issuers by field name").entries.compactMap { name, place in
            place.reference(to: .issuer).map { (name, $0) }
        }
    }
}

extension CallerDescription {
    static let shape = Shape<CallerDescription?>.object("an object with the kind of caller") { object in
        let issuer = object.optional(
            "issuer", .reference(to: .trustedIssuer), "A valid token of this trusted issuer, with `claims`.")
        let provider = object.optional(
            "provider", .reference(to: .identityProvider),
            "A browser that has logged in at this identity provider, which sent `claims`.")
        let claims = object.optional(
            "claims", claims,
            "Claims beside those that each valid token has: `iss`, `aud`, `exp` and `iat` are added where they are missing."
        )
        let client = object.optional(
            "client", .reference(to: .client),
            "A valid access token of the token service for this client, and for `user` where it is given.")
        let scopes = object.optional("scopes", .names, "Scopes of that token.")
        let user = object.optional(
            "user", .reference(to: .user),
            "A local user: logged in where the route has a login, and else with name and password.")
        let backend = object.optional(
            "backend", .reference(to: .backend), "The mobile backend that is named beside name and password.")
        let consumer = object.optional("consumer", .reference(to: .consumer), "A consumer with one of its API keys.")
        let key = object.optional("key", .name, "Id of that key; any that counts by default.")
        object.rules(
            .atLeastOne(of: "issuer", "provider", "client", "user", "consumer", because: "no kind of caller"),
            .atMostOne(of: "issuer", "provider", "client", "consumer", because: "a request has one credential"),
            .atMostOne(of: "issuer", "provider", "consumer", "user", because: "a request has one credential"),
            .atMostOne(of: "client", "backend", because: "a request has one credential"),
            .only("claims", with: .any([.has("issuer"), .has("provider")])), .only("scopes", with: .has("client")),
            .only("backend", with: .has("user")), .only("key", with: .has("consumer")))
        if let issuer { return .token(issuer: issuer, claims: claims ?? .object([])) }
        if let provider { return .login(provider: provider, claims: claims ?? .object([])) }
        if let client { return .client(client, user: user, scopes: scopes ?? []) }
        if let consumer { return .consumer(consumer, key: key) }
        return user.map { .user($0, backend: backend) }
    }

    private static let claims = Shape<JSONNode>(.schema([JSONMember(name: "type", node: .text("object"))])) { field in
        field.node.members == nil ? field.wrongType("an object of claims") : field.node
    }
}

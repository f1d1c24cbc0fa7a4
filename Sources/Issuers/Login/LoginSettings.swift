import Bytes
import Declaration
import Model
import Outbound

extension IssuerModule {
    /// ISS-03. `remote` is the catalogue's name for it. Defaults follow the catalogue: a POST that names the caller,
    /// and `access_token`, `expires_in`, `token_type` in the answer.
    package static let login = IssuerModule(kind: "http", aliases: ["remote"], callsOut: true) { object, dependencies in
        var reading = LoginSettings(transport: dependencies.transport)
        let settings = reading.read(&object)
        guard let settings, !object.hasErrors else { return nil }
        return LoginIssuer(
            settings, configurationID: dependencies.identity(of: "http", object),
            dependsOnCaller: reading.isPerCaller, caller: dependencies.caller)
    }
}

/// The configuration, on its way to an issuer.
private struct LoginSettings {
    private enum Method: String, Sendable, CaseIterable { case get = "GET", post = "POST", put = "PUT" }

    let transport: OutboundTransport
    private(set) var isPerCaller = true

    init(transport: OutboundTransport) { self.transport = transport }

    /// Nil after an error.
    mutating func read(_ object: inout ObjectReader) -> LoginIssuer.Settings? {
        object.rules(
            .atMostOne(of: "json", "form", because: "there is a body already"),
            .only("clientId", with: .has("clientSecret"), because: "there is no secret to it"),
            .only("clientSecret", with: .has("clientId"), because: "there is no id to it"))
        let method = object.value("method", Shape<Method>.choice, default: .post, "Method of the request.")
        let url = object.required(
            "url", Shape<LoginTemplate>(.text, read: { [transport] in LoginSettings.url($0, transport) }), "a value",
            "URL of the request, with [places](guides/upstream-tokens.md) such as `{subject}` behind the host.")
        let headers = object.optional("headers", LoginSettings.templates, "Header fields, with places.")
        let body = LoginSettings.body(&object)
        let secrets = object.optional("secrets", .secrets, "Values of the places `{secret:NAME}`.") ?? []
        let authorization = LoginSettings.authorization(&object)
        let answer = LoginSettings.answer(&object)
        let isIdempotent = object.optional(
            "idempotent", .flag, "Whether the request may be repeated without harm; by default all but `POST`.")
        let retries = object.value("retries", .integer(0...5), default: 0, "Further attempts after an outage.")
        isPerCaller = object.flag("perCaller", default: true, "Whether each caller gets a token of its own.")
        guard let url, !object.hasErrors else { return nil }
        var made = LoginIssuer.Settings(url: url)
        made.method = method.rawValue
        made.headers = headers ?? []
        made.secrets = Dictionary(secrets.map { ($0.name, $0.value) }) { $1 }
        // A service account has no caller to name.
        made.body = body ?? (method == .get || !isPerCaller ? .none : .caller)
        (made.authorization, made.answer, made.transport) = (authorization, answer, transport)
        made.retries = retries
        // RFC 9110 section 9.2.2: only idempotent calls are retried.
        if retries > 0, !(isIdempotent ?? (method != .post)) {
            object.error(
                at: "retries", "a POST that is made again may do its work twice",
                expected: "\"idempotent\": true, where that does no harm")
        }
        check(&made, object)
        return made
    }

    /// Checks the places of a request.
    private func check(_ made: inout LoginIssuer.Settings, _ object: ObjectReader) {
        for case .secret(let name) in made.places where made.secrets[name] == nil {
            return object.error(
                at: "secrets", "there is no secret \"\(name)\"", expected: "what {secret:\(name)} stands for")
        }
        if !isPerCaller, let place = made.places.first(where: \.isCallers) {
            return object.error(
                at: "perCaller", "the request has the caller's own {\(place)} in it", expected: "true")
        }
        if made.url.places.contains(where: \.isPassword) {
            return object.error(
                at: "url", "addresses end up in logs", expected: "{password} in \"json\", \"form\" or \"headers\"")
        }
        // A password verifier knows only the user who is logging in, not a caller.
        let verifies = made.places.contains(where: \.isPassword)
        if let place = made.places.first(where: { $0.isCallers && $0.isOfLogin != verifies }) {
            return object.error(
                verifies
                    ? "with {password} there is no caller, and {\(place)} stands for nothing"
                    : "a {\(place)} needs a {password}",
                expected: "{username} with {password} or {basic}")
        }
        if verifies, case .caller = made.body { made.body = .none }
        if verifies, made.retries > 0 {
            object.error(at: "retries", "accounts are locked after a few wrong passwords", expected: "0")
        }
    }

    // MARK: Templates

    private static func template(_ text: String, _ field: Field) -> LoginTemplate? {
        do throws(LoginTemplate.Problem) {
            return try LoginTemplate(text)
        } catch {
            return field.error(error.message, expected: LoginTemplate.Problem.expected)
        }
    }

    /// Texts with places.
    private static let templates = Shape<[(name: String, value: LoginTemplate)]>(
        .map(.text),
        read: { field in
            field.object("an object of strings").entries.compactMap { name, place in
                place.name().flatMap { template($0, place) }.map { (name: name, value: $0) }
            }
        })

    /// Must be a valid URL for all values: placeholders are allowed only after the host.
    private static func url(_ field: Field, _ transport: OutboundTransport) -> LoginTemplate? {
        guard let text = field.name(), let url = template(text, field) else { return nil }
        let authority = text.prefix(while: { $0 != "{" }).split(separator: "/", omittingEmptySubsequences: false)
        if text.contains("{"), authority.count < 4 {
            return field.error(
                "a place in the host would let callers say who is asked", expected: "a fixed host")
        }
        do throws(WebURL.Problem) {
            let sound = try WebURL(url.withEach("x"))
            if sound.isSecure || transport.allowsHTTP { return url }
            return field.error(
                "the token would go in the clear", expected: "an https:// URL, or \"allowHttp\": true")
        } catch {
            return field.error("it is no address to call: \(error.rawValue)")
        }
    }

    /// Nil for what the method and `perCaller` say.
    private static func body(_ object: inout ObjectReader) -> LoginBody? {
        let json = object.optional(
            "json",
            Shape<LoginJSON>(
                .schema([]),
                read: { field in
                    do throws(LoginTemplate.Problem) {
                        return try LoginJSON(field.node)
                    } catch {
                        return field.error(error.message, expected: LoginTemplate.Problem.expected)
                    }
                }), "Body as a JSON value, with places in its strings; by default the caller.")
        let form = object.take("form", templates, "Body as form fields, with places.")
        if let json { return .json(json) }
        guard let form, let fields = form.read() else { return nil }
        return .form(
            fields.compactMap { field in template(field.name, form.field).map { (name: $0, value: field.value) } })
    }

    private static func authorization(_ object: inout ObjectReader) -> String? {
        let id = object.optional("clientId", .name, "User name for Basic authentication of the gateway.")
        let secret = object.optional("clientSecret", .secret, "Password for it.")
        guard let id, let secret else { return nil }
        return FormEncoding.basic(clientID: id, secret: secret.value)
    }

    // MARK: Answer

    private static func answer(_ object: inout ObjectReader) -> LoginAnswer {
        var answer = LoginAnswer()
        object.read("status", statuses(200...299), into: &answer.statuses, "Statuses of an answer with a token.")
        object.read("refusedStatus", statuses(400...499), into: &answer.refusals, "Statuses that refuse the caller.")
        object.read(
            "wrongStatus", statuses(400...499), into: &answer.wrong,
            """
            Statuses that say that a password is wrong, where \
            [passwords are verified](guides/remote-users.md).
            """)
        let token = object.optional(
            "token",
            .object("an object") { object in
                (readPlace(&object), object.optional("prefix", .name, "Text before the token there.") ?? "")
            }, "Where the token is; `{\"pointer\": \"/access_token\"}` by default.")
        if let (place, prefix) = token {
            answer.token = place
            answer.prefix = prefix
            answer.isTokenResponse = false
            answer.lifetime = nil
        }
        let lifetime = object.optional(
            "lifetime",
            .object("an object") { object in
                (
                    readPlace(&object),
                    object.value("unit", Shape<LoginAnswer.Unit>.choice, default: .seconds, "Unit of the number.")
                )
            }, "Where its lifetime is; `{\"pointer\": \"/expires_in\"}` by default.")
        if let (place, unit) = lifetime { (answer.lifetime, answer.unit) = (place, unit) }
        object.read(
            "defaultLifetimeSeconds", .seconds, into: &answer.defaultLifetimeSeconds,
            "Lifetime of a token where the answer names none.")
        return answer
    }

    private static func statuses(_ range: ClosedRange<Int>) -> Shape<Set<Int>> {
        Shape<Int>.integer(range).list("an array of numbers", isUnique: false).map(Set.init, back: { $0.sorted() })
    }

    private static func readPlace(_ object: inout ObjectReader) -> ValueLocation {
        object.rules(.exactlyOne(of: ["pointer", "header", "cookie"], none: "one place is needed"))
        let pointer = object.optional(
            "pointer",
            Shape<ValueLocation>(
                .text,
                read: { field in
                    field.name().flatMap { text in
                        ValueLocation(pointer: text)
                            ?? field.error("it is no JSON pointer", expected: "such as \"/data/token\" (RFC 6901)")
                    }
                }), "JSON pointer into the body; one of the three.")
        let header = object.optional("header", .headerName, "Name of a header field.")
        let cookie = object.optional("cookie", .name, "Name of a cookie.")
        return pointer ?? header.map(ValueLocation.header) ?? .cookie(cookie ?? "")
    }
}

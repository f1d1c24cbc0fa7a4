import Bytes
import Identity
import Model
import Outbound

extension IssuerModule {
    /// ISS-03. `remote` is the catalogue's name for it. Defaults follow the catalogue: a POST that names the caller,
    /// and `access_token`, `expires_in`, `token_type` in the answer.
    package static let login = IssuerModule(
        kind: "http", aliases: ["remote"], callsOut: true,
        keys: [
            IssuerKey("method", .choice(["GET", "POST", "PUT"]), default: .text("POST"), "Method of the request."),
            IssuerKey(
                "url", .text, required: true,
                "URL of the request, with [places](guides/upstream-tokens.md) such as `{subject}` behind the host."
            ),
            IssuerKey("headers", .map, "Header fields, with places."),
            IssuerKey("json", .json, "Body as a JSON value, with places in its strings; by default the caller."),
            IssuerKey("form", .map, "Body as form fields, with places."),
            IssuerKey("secrets", .secrets, "Values of the places `{secret:NAME}`."),
            IssuerKey("clientId", .text, "User name for Basic authentication of the gateway."),
            IssuerKey("clientSecret", .secret, "Password for it."),
            IssuerKey("status", .counts(200...299), default: .numbers([200]), "Statuses of an answer with a token."),
            IssuerKey(
                "refusedStatus", .counts(400...499), default: .numbers([403]), "Statuses that refuse the caller."),
            IssuerKey(
                "wrongStatus", .counts(400...499), default: .numbers([401]),
                """
                Statuses that say that a password is wrong, where \
                [passwords are verified](guides/remote-users.md).
                """),
            IssuerKey(
                "token",
                .object(
                    LoginSettings.placeKeys + [IssuerKey("prefix", .text, "Text before the token there.")],
                    rules: [LoginSettings.onePlace]),
                "Where the token is; `{\"pointer\": \"/access_token\"}` by default."),
            IssuerKey(
                "lifetime",
                .object(
                    LoginSettings.placeKeys + [
                        IssuerKey(
                            "unit", .choice(LoginAnswer.Unit.allCases.map(\.rawValue)), default: .text("seconds"),
                            "Unit of the number.")
                    ], rules: [LoginSettings.onePlace]),
                "Where its lifetime is; `{\"pointer\": \"/expires_in\"}` by default."),
            IssuerKey(
                "defaultLifetimeSeconds", .seconds, default: .number(300),
                "Lifetime of a token where the answer names none."),
            IssuerKey(
                "idempotent", .flag, "Whether the request may be repeated without harm; by default all but `POST`."),
            IssuerKey("retries", .count(0...5), default: .number(0), "Further attempts after an outage."),
            IssuerKey("perCaller", .flag, default: .flag(true), "Whether each caller gets a token of its own."),
        ],
        rules: [
            .atMostOne(of: "json", "form", because: "there is a body already"),
            .only("clientId", with: .has("clientSecret"), because: "there is no secret to it"),
            .only("clientSecret", with: .has("clientId"), because: "there is no id to it"),
        ],
        build: { settings, surroundings throws(IssuerProblem) in
            try LoginSettings(settings).issuer(surroundings.caller)
        })
}

/// The configuration, on its way to an issuer.
private struct LoginSettings {
    static let placeKeys = [
        IssuerKey("pointer", .text, "JSON pointer into the body; one of the three."),
        IssuerKey("header", .header, "Name of a header field."), IssuerKey("cookie", .text, "Name of a cookie."),
    ]

    static let onePlace = KeyRule.exactlyOne(of: placeKeys.map(\.name), none: "one place is needed")

    let settings: ModuleSettings

    init(_ settings: ModuleSettings) { self.settings = settings }

    func issuer(_ caller: any OutboundCaller) throws(IssuerProblem) -> LoginIssuer {
        var made = LoginIssuer.Settings(url: try url())
        made.method = settings.word("method")
        for secret in settings.map("secrets") { made.secrets[secret.name] = secret.value }
        for header in settings.map("headers") {
            let text = try template(header.value, at: "headers/\(header.name)")
            made.headers.append((name: header.name, value: text))
        }
        made.body = try body(made.method)
        made.authorization = authorization
        made.answer = try answer()
        made.transport = settings.transport
        made.retries = settings.count("retries")
        // RFC 9110 section 9.2.2: only idempotent calls are retried.
        let isIdempotent = settings.flag("idempotent") ?? (made.method != "POST")
        if made.retries > 0, !isIdempotent {
            throw IssuerProblem(
                at: "retries", "a POST that is made again may do its work twice",
                expected: "\"idempotent\": true, where that does no harm")
        }
        for case .secret(let name) in made.places where made.secrets[name] == nil {
            throw IssuerProblem(
                at: "secrets", "there is no secret \"\(name)\"", expected: "what {secret:\(name)} stands for")
        }
        if !settings.isOn("perCaller"), let place = made.places.first(where: \.isCallers) {
            throw IssuerProblem(
                at: "perCaller", "the request has the caller's own {\(place)} in it", expected: "true")
        }
        try checkLogin(&made)
        return LoginIssuer(
            made, configurationID: settings.identity(of: "http"), dependsOnCaller: settings.isOn("perCaller"),
            caller: caller)
    }

    /// A password verifier knows only the user who is logging in, not a caller.
    private func checkLogin(_ made: inout LoginIssuer.Settings) throws(IssuerProblem) {
        if made.url.places.contains(where: \.isPassword) {
            throw IssuerProblem(
                at: "url", "addresses end up in logs", expected: "{password} in \"json\", \"form\" or \"headers\"")
        }
        let verifies = made.places.contains(where: \.isPassword)
        for place in made.places where place.isCallers && place.isOfLogin != verifies {
            throw IssuerProblem(
                verifies
                    ? "with {password} there is no caller, and {\(place)} stands for nothing"
                    : "a {\(place)} needs a {password}",
                expected: "{username} with {password} or {basic}")
        }
        if verifies, case .caller = made.body { made.body = .none }
        if verifies, made.retries > 0 {
            throw IssuerProblem(at: "retries", "accounts are locked after a few wrong passwords", expected: "0")
        }
    }

    private func template(_ text: String, at pointer: String) throws(IssuerProblem) -> LoginTemplate {
        do throws(LoginTemplate.Problem) {
            return try LoginTemplate(text)
        } catch {
            throw IssuerProblem(at: pointer, error.message, expected: LoginTemplate.Problem.expected)
        }
    }

    /// Must be a valid URL for all values: placeholders are allowed only after the host.
    private func url() throws(IssuerProblem) -> LoginTemplate {
        let text = settings.word("url")
        let url = try template(text, at: "url")
        let authority = text.prefix(while: { $0 != "{" }).split(separator: "/", omittingEmptySubsequences: false)
        let isOpen = text.contains("{") && authority.count < 4
        guard !isOpen else {
            throw IssuerProblem(
                at: "url", "a place in the host would let callers say who is asked", expected: "a fixed host")
        }
        let sound: WebURL
        do throws(WebURL.Problem) {
            sound = try WebURL(url.withEach("x"))
        } catch {
            throw IssuerProblem(at: "url", "it is no address to call: \(error.rawValue)")
        }
        guard sound.isSecure || settings.transport.allowsHTTP else {
            throw IssuerProblem(
                at: "url", "the token would go in the clear", expected: "an https:// URL, or \"allowHttp\": true")
        }
        return url
    }

    private func body(_ method: String) throws(IssuerProblem) -> LoginBody {
        if let json = settings.json("json") {
            do throws(LoginTemplate.Problem) {
                return .json(try LoginJSON(json))
            } catch {
                throw IssuerProblem(at: "json", error.message, expected: LoginTemplate.Problem.expected)
            }
        }
        if settings.has("form") {
            return .form(
                try settings.map("form").map { field throws(IssuerProblem) in
                    let name = try template(field.name, at: "form")
                    return (name: name, value: try template(field.value, at: "form/\(field.name)"))
                })
        }
        // A service account has no caller to name.
        return method == "GET" || !settings.isOn("perCaller") ? .none : .caller
    }

    private var authorization: String? {
        guard let id = settings.text("clientId"), let secret = settings.text("clientSecret") else { return nil }
        return FormEncoding.basic(clientID: id, secret: secret)
    }

    private func answer() throws(IssuerProblem) -> LoginAnswer {
        var answer = LoginAnswer()
        if let statuses = settings.numbers("status") { answer.statuses = Set(statuses) }
        if let refusals = settings.numbers("refusedStatus") { answer.refusals = Set(refusals) }
        if let wrong = settings.numbers("wrongStatus") { answer.wrong = Set(wrong) }
        if let token = settings.object("token") {
            answer.token = try place(token, at: "token")
            answer.prefix = token.text("prefix") ?? ""
            answer.isTokenResponse = false
            answer.lifetime = nil
        }
        if let lifetime = settings.object("lifetime") {
            answer.lifetime = try place(lifetime, at: "lifetime")
            answer.unit = lifetime.text("unit").flatMap(LoginAnswer.Unit.init) ?? .seconds
        }
        answer.defaultLifetimeSeconds = Int64(settings.count("defaultLifetimeSeconds"))
        return answer
    }

    private func place(_ settings: ModuleSettings, at pointer: String) throws(IssuerProblem) -> ValueLocation {
        if let name = settings.text("header") { return .header(name) }
        if let name = settings.text("cookie") { return .cookie(name) }
        guard let place = ValueLocation(pointer: settings.word("pointer")) else {
            throw IssuerProblem(
                at: "\(pointer)/pointer", "it is no JSON pointer", expected: "such as \"/data/token\" (RFC 6901)")
        }
        return place
    }
}

import Bytes
import Identity

extension IssuerModule {
    /// ISS-03. `remote` is the catalogue's name for it; what stands nowhere is as the catalogue has it: a POST that says
    /// who calls, and `access_token`, `expires_in`, `token_type` in the answer.
    package static let login = IssuerModule(
        kind: "http", aliases: ["remote"], callsOut: true,
        keys: [
            IssuerKey("method", .choice(["GET", "POST", "PUT"])),
            IssuerKey("url", .text, required: true),
            IssuerKey("headers", .map),
            IssuerKey("json", .json),
            IssuerKey("form", .map),
            IssuerKey("secrets", .secrets),
            IssuerKey("clientId", .text),
            IssuerKey("clientSecret", .secret),
            IssuerKey("status", .counts(200...299)),
            IssuerKey("refusedStatus", .counts(400...499)),
            IssuerKey("wrongStatus", .counts(400...499)),
            IssuerKey("token", .object(LoginSettings.placeKeys + [IssuerKey("prefix", .text)])),
            IssuerKey(
                "lifetime",
                .object(
                    LoginSettings.placeKeys + [IssuerKey("unit", .choice(LoginAnswer.Unit.allCases.map(\.rawValue)))])),
            IssuerKey("defaultLifetimeSeconds", .seconds),
            IssuerKey("idempotent", .flag),
            IssuerKey("retries", .count(0...5)),
            IssuerKey("perCaller", .flag),
        ],
        build: { settings, surroundings throws(IssuerProblem) in
            try LoginSettings(settings).issuer(surroundings.caller)
        })
}

/// What is in the configuration, on its way to an issuer.
private struct LoginSettings {
    static let placeKeys = [IssuerKey("pointer", .text), IssuerKey("header", .header), IssuerKey("cookie", .text)]

    let settings: ModuleSettings

    init(_ settings: ModuleSettings) { self.settings = settings }

    func issuer(_ caller: any OutboundCaller) throws(IssuerProblem) -> LoginIssuer {
        var made = LoginIssuer.Settings(url: try url())
        made.method = settings.text("method") ?? "POST"
        for secret in settings.map("secrets") { made.secrets[secret.name] = secret.value }
        for header in settings.map("headers") {
            let text = try template(header.value, at: "headers/\(header.name)")
            made.headers.append((name: header.name, value: text))
        }
        made.body = try body(made.method)
        made.authorization = try authorization()
        made.answer = try answer()
        made.transport = settings.transport
        made.retries = settings.number("retries") ?? 0
        // RFC 9110 section 9.2.2: what does harm twice is done once.
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
        if settings.flag("perCaller") == false, let place = made.places.first(where: \.isCallers) {
            throw IssuerProblem(
                at: "perCaller", "the request has the caller's own {\(place)} in it", expected: "true")
        }
        try checkLogin(&made)
        let dependsOnCaller = settings.flag("perCaller") ?? true
        return LoginIssuer(
            made, configurationID: settings.identity(of: "http"), dependsOnCaller: dependsOnCaller, caller: caller)
    }

    /// Who verifies passwords knows nobody but who is logging in.
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
                    : "nobody types a {\(place)} where there is no {password}",
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

    /// The address must be one whatever is put in: the places stand behind the host.
    private func url() throws(IssuerProblem) -> LoginTemplate {
        let text = settings.text("url") ?? ""
        let url = try template(text, at: "url")
        let authority = text.prefix(while: { $0 != "{" }).split(separator: "/", omittingEmptySubsequences: false)
        let isOpen = text.contains("{") && authority.count < 4
        guard !isOpen else {
            throw IssuerProblem(
                at: "url", "a place in the host would let callers say who is asked", expected: "a fixed host")
        }
        let sound: OutboundURL
        do throws(OutboundURL.Problem) {
            sound = try OutboundURL(url.withEach("x"))
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
        switch (settings.json("json"), settings.has("form")) {
        case (_?, true): throw IssuerProblem(at: "form", "there is a body already", expected: "\"json\" or \"form\"")
        case (let json?, false):
            do throws(LoginTemplate.Problem) {
                return .json(try LoginJSON(json))
            } catch {
                throw IssuerProblem(at: "json", error.message, expected: LoginTemplate.Problem.expected)
            }
        case (nil, true):
            return .form(
                try settings.map("form").map { field throws(IssuerProblem) in
                    let name = try template(field.name, at: "form")
                    return (name: name, value: try template(field.value, at: "form/\(field.name)"))
                })
        case (nil, false):
            // A service account has nobody to tell of.
            return method == "GET" || settings.flag("perCaller") == false ? .none : .caller
        }
    }

    private func authorization() throws(IssuerProblem) -> String? {
        switch (settings.text("clientId"), settings.text("clientSecret")) {
        case (let id?, let secret?): return FormEncoding.basic(clientID: id, secret: secret)
        case (nil, nil): return nil
        case (_, nil): throw IssuerProblem(at: "clientId", "there is no secret to it", expected: "\"clientSecret\"")
        case (nil, _): throw IssuerProblem(at: "clientSecret", "there is no id to it", expected: "\"clientId\"")
        }
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
        if let seconds = settings.number("defaultLifetimeSeconds") { answer.defaultLifetimeSeconds = Int64(seconds) }
        return answer
    }

    private func place(_ settings: ModuleSettings, at pointer: String) throws(IssuerProblem) -> AnswerPlace {
        let texts = (settings.text("pointer"), settings.text("header"), settings.text("cookie"))
        switch texts {
        case (let text?, nil, nil):
            guard let place = AnswerPlace(pointer: text) else {
                throw IssuerProblem(
                    at: "\(pointer)/pointer", "it is no JSON pointer", expected: "such as \"/data/token\" (RFC 6901)")
            }
            return place
        case (nil, let name?, nil): return .header(name)
        case (nil, nil, let name?): return .cookie(name)
        default:
            throw IssuerProblem(at: pointer, "one place is needed", expected: "\"pointer\", \"header\" or \"cookie\"")
        }
    }
}

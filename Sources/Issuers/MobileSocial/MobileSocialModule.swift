import Bytes
import Identity

extension IssuerModule {
    /// The client side of Oracle Mobile & Social, for upstreams that challenge (CACHE-08).
    package static let mobileSocial = IssuerModule(
        kind: "oam", callsOut: true,
        keys: [
            IssuerKey("url", .url, required: true),
            IssuerKey("service", .text),
            IssuerKey("serviceDomain", .text),
            IssuerKey("login", .choice(["account", "caller"])),
            IssuerKey("username", .text),
            IssuerKey("password", .secret),
            IssuerKey("clientId", .text),
            IssuerKey("register", .flag),
            IssuerKey("deviceProfile", .json),
            IssuerKey("defaultLifetimeSeconds", .seconds),
        ],
        build: { settings, surroundings throws(IssuerProblem) in
            MobileSocialIssuer(
                try settings.mobileSocial(), configurationID: settings.identity(of: "oam"),
                caller: surroundings.caller)
        })
}

extension ModuleSettings {
    fileprivate func mobileSocial() throws(IssuerProblem) -> MobileSocialIssuer.Settings {
        guard let url = url("url") else { throw IssuerProblem(at: "url", "there is no server") }
        let service = text("service") ?? "oamauthentication"
        guard service.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-._".utf8.contains($0) }) else {
            throw IssuerProblem(at: "service", "it is no name of a service", expected: "such as \"oamauthentication\"")
        }
        let path = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        var made = MobileSocialIssuer.Settings(
            base: "\(url.scheme.rawValue)://\(url.authority)\(path)/oic_rest/rest/\(service)",
            serviceDomain: try fieldText("serviceDomain") ?? "Default", login: try login())
        made.clientID = try clientID()
        made.registers = flag("register") ?? false
        if made.registers, made.clientID == nil {
            throw IssuerProblem(at: "clientId", "nothing to register", expected: "the name of the application")
        }
        if let profile = json("deviceProfile") {
            guard profile.members != nil else {
                throw IssuerProblem(at: "deviceProfile", "it is no profile", expected: "an object")
            }
            var writer = JSONWriter()
            writer.value(profile)
            made.deviceProfile = writer.bytes
        }
        if let seconds = number("defaultLifetimeSeconds") { made.lifetimeSeconds = Int64(seconds) }
        made.transport = transport
        return made
    }

    private func login() throws(IssuerProblem) -> MobileSocialIssuer.Login {
        let isCallers = text("login") == "caller"
        switch (text("username"), text("password")) {
        case (nil, nil) where isCallers: return .caller
        case (let name?, let password?) where !isCallers: return .account(username: name, password: password)
        case (_, nil) where !isCallers:
            throw IssuerProblem(at: "password", "an account has one", expected: "\"username\" and \"password\"")
        case (nil, _) where !isCallers:
            throw IssuerProblem(at: "username", "an account has one", expected: "\"username\" and \"password\"")
        default:
            throw IssuerProblem(
                at: "login", "callers log in by their own tokens", expected: "no \"username\" and \"password\"")
        }
    }

    /// Handles are shown as `clientId:handle`, split at the first colon (oam-wire 8.3).
    private func clientID() throws(IssuerProblem) -> String? {
        guard let id = text("clientId") else { return nil }
        guard !id.utf8.contains(ASCII.colon) else {
            throw IssuerProblem(at: "clientId", "a colon ends it", expected: "a name without a colon")
        }
        return id
    }

    private func fieldText(_ name: String) throws(IssuerProblem) -> String? {
        guard let text = text(name) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw IssuerProblem(at: name, "it does not fit into a field", expected: "visible ASCII")
        }
        return text
    }
}

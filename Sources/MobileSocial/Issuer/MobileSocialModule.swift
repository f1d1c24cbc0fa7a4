import Bytes
import Identity
import Issuers
import Model

extension IssuerModule {
    /// The client side of Oracle Mobile & Social, for upstreams that challenge (CACHE-08).
    package static let mobileSocial = IssuerModule(
        kind: "oam", callsOut: true,
        keys: [
            IssuerKey("url", .url, required: true, "Where the server is: what stands in front of `/oic_rest`."),
            IssuerKey(
                "service", .text, default: .text("oamauthentication"), "Name of the service in the path."),
            IssuerKey("serviceDomain", .text, default: .text("Default"), "`X-IDAAS-SERVICEDOMAIN`."),
            IssuerKey(
                "login", .choice(["account", "caller"]), default: .text("account"),
                """
                The session that tokens belong to: that of the gateway's own account, which all callers share, or \
                that of the caller's token.
                """),
            IssuerKey("username", .text, "User name of the account."),
            IssuerKey("password", .secret, "Password of the account."),
            IssuerKey("clientId", .text, "Name of the application."),
            IssuerKey(
                "register", .flag, default: .flag(false),
                "Whether the service requires clients to register, as mobile services do."),
            IssuerKey("deviceProfile", .json, "Claims about the device; none by default."),
            IssuerKey(
                "defaultLifetimeSeconds", .seconds, default: .number(3600),
                "Seconds that a token is used where the answer names no lifetime."),
        ],
        rules: [
            .requires("username", "password", if: ModuleSettings.isAccount, because: "an account has one"),
            .requires(
                .not(.hasAny("username", "password")), if: .not(ModuleSettings.isAccount), at: "login",
                because: "callers log in by their own tokens", expected: "no \"username\" and \"password\""),
            .requires("clientId", if: .isOn("register"), because: "nothing to register"),
        ],
        build: { settings, surroundings throws(IssuerProblem) in
            MobileSocialIssuer(
                try settings.mobileSocial(), configurationID: settings.identity(of: "oam"),
                caller: surroundings.caller)
        })
}

extension ModuleSettings {
    fileprivate static let isAccount = KeyCondition.not(.equals("login", "caller"))

    fileprivate func mobileSocial() throws(IssuerProblem) -> MobileSocialIssuer.Settings {
        guard let url = url("url") else { throw IssuerProblem(at: "url", "there is no server") }
        let service = word("service")
        guard service.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-._".utf8.contains($0) }) else {
            throw IssuerProblem(at: "service", "it is no name of a service", expected: "such as \"oamauthentication\"")
        }
        let path = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        var made = MobileSocialIssuer.Settings(
            base: "\(url.origin)\(path)/oic_rest/rest/\(service)",
            serviceDomain: try serviceDomain(),
            login: text("login") == "caller"
                ? .caller : .account(username: word("username"), password: word("password")))
        made.clientID = try clientID()
        made.registers = isOn("register")
        if let profile = json("deviceProfile") {
            guard profile.members != nil else {
                throw IssuerProblem(at: "deviceProfile", "it is no profile", expected: "an object")
            }
            var writer = JSONWriter()
            writer.value(profile)
            made.deviceProfile = writer.bytes
        }
        made.lifetimeSeconds = Int64(count("defaultLifetimeSeconds"))
        made.transport = transport
        return made
    }

    /// Handles are sent as `clientId:handle`, split at the first colon (oam-wire 8.3).
    private func clientID() throws(IssuerProblem) -> String? {
        guard let id = text("clientId") else { return nil }
        guard !id.utf8.contains(ASCII.colon) else {
            throw IssuerProblem(at: "clientId", "a colon ends it", expected: "a name without a colon")
        }
        return id
    }

    private func serviceDomain() throws(IssuerProblem) -> String {
        let text = word("serviceDomain")
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw IssuerProblem(at: "serviceDomain", "it does not fit into a field", expected: "visible ASCII")
        }
        return text
    }
}

import Bytes
import Declaration
import Issuers
import Model
import Outbound

extension IssuerModule {
    /// The client side of Oracle Mobile & Social, for upstreams that challenge (CACHE-08).
    package static let mobileSocial = IssuerModule(kind: "oam", callsOut: true) { object, dependencies in
        guard let settings = MobileSocialIssuer.Settings(&object, dependencies), !object.hasErrors else { return nil }
        return MobileSocialIssuer(
            settings, configurationID: dependencies.identity(of: "oam", object), caller: dependencies.caller)
    }
}

extension MobileSocialIssuer.Settings {
    /// Nil after an error.
    fileprivate init?(_ object: inout ObjectReader, _ dependencies: IssuerDependencies) {
        let url = object.required(
            "url", .address(dependencies.transport), "an address to call",
            "Where the server is: what stands in front of `/oic_rest`.")
        let service = object.value(
            "service",
            .fitting("such as \"oamauthentication\"", "it is no name of a service") { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._".utf8.contains(byte)
            }, default: "oamauthentication", "Name of the service in the path.")
        let domain = object.value(
            "serviceDomain",
            .fitting("visible ASCII", "it does not fit into a field") { $0 > 0x20 && $0 < 0x7F },
            default: "Default", "`X-IDAAS-SERVICEDOMAIN`.")
        let login = object.value(
            "login", .choice(["account", "caller"]), default: "account",
            """
            The session that tokens belong to: that of the gateway's own account, which all callers share, or \
            that of the caller's token.
            """)
        let username = object.optional("username", .name, "User name of the account.") ?? ""
        let password = object.optional("password", .secret, "Password of the account.")?.value ?? ""
        // Handles are sent as `clientId:handle`, split at the first colon (oam-wire 8.3).
        let clientID = object.optional(
            "clientId", .fitting("a name without a colon", "a colon ends it") { $0 != ASCII.colon },
            "Name of the application.")
        let registers = object.flag(
            "register", default: false, "Whether the service requires clients to register, as mobile services do.")
        let profile = object.optional(
            "deviceProfile",
            Shape<JSONNode>.json.reading { field in
                field.node.members == nil ? field.error("it is no profile", expected: "an object") : field.node
            }, "Claims about the device; none by default.")
        let lifetime = object.value(
            "defaultLifetimeSeconds", Shape<Int64>.seconds, default: 3600,
            "Seconds that a token is used where the answer names no lifetime.")
        let isAccount = KeyCondition.not(.equals("login", "caller"))
        object.rules(
            .requires("username", "password", if: isAccount, because: "an account has one"),
            .requires(
                .not(.hasAny("username", "password")), if: .not(isAccount), at: "login",
                because: "callers log in by their own tokens", expected: "no \"username\" and \"password\""),
            .requires("clientId", if: .isOn("register"), because: "nothing to register"))
        guard let url else { return nil }
        let path = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        self.init(
            base: "\(url.origin)\(path)/oic_rest/rest/\(service)", serviceDomain: domain,
            login: login == "caller" ? .caller : .account(username: username, password: password))
        self.clientID = clientID
        self.registers = registers
        if let profile { deviceProfile = profile.serialized }
        lifetimeSeconds = lifetime
        transport = dependencies.transport
    }
}

extension Shape<String> {
    /// A text of some bytes alone.
    fileprivate static func fitting(
        _ expected: String, _ problem: String, _ isFit: @escaping @Sendable (UInt8) -> Bool
    ) -> Shape {
        name.reading { field in
            guard let text = field.name() else { return nil }
            return text.utf8.allSatisfy(isFit) ? text : field.error(problem, expected: expected)
        }
    }
}

import Configuration
import Crypto
import Issuers
import Model
import Outbound

/// From the members of an issuer in `issuers.json` to the settings of its module: what the module declares is read,
/// resolved and reported here, so that no module knows of files, secrets and pointers.
struct IssuerReader: AssemblyPart {
    let context: AssemblyContext

    /// What of an issuer is the framework's.
    struct IssuerReading {
        var settings: ModuleSettings
        var guarding = GuardedIssuer.Settings()
    }

    /// Nil after an error.
    func read(_ entry: IssuerEntry, _ module: IssuerModule) -> IssuerReading? {
        let (reading, found) = context.loaded.read(entry) { object -> IssuerReading in
            var guarding = GuardedIssuer.Settings()
            var transport = OutboundTransport()
            if module.callsOut {
                guarding = IssuerReader.guarding(&object)
                let (plain, tls) = IssuerReader.transport(&object)
                transport = self.transport(plain, tls)
            }
            let values = values(module.keys, &object, transport.allowsHTTP)
            return IssuerReading(
                settings: ModuleSettings(values, keys: module.keys, transport: transport), guarding: guarding)
        }
        context.add(found)
        return context.hasErrors ? nil : reading
    }

    /// The keys of all modules that call other servers.
    static func guarding(_ object: inout ObjectReader) -> GuardedIssuer.Settings {
        var guarding = GuardedIssuer.Settings()
        let lifetime = object.value(
            "maximumLifetime", .duration, default: .seconds(86_400),
            "Longest time that a token is used, even if the answer gives it a longer lifetime.")
        guarding.maximumLifetimeSeconds = max(1, lifetime.components.seconds)
        guarding.breaker =
            object.optional(
                "circuitBreaker", breaker, "When a failing server is left alone for a while.") ?? guarding.breaker
        return guarding
    }

    private static let breaker = Shape.object("an object: {\"failures\", \"pause\", \"longestPause\"}") { object in
        var breaker = GuardedIssuer.Settings().breaker
        breaker.failures = object.value(
            "failures", .integer(0...10_000, "a number of failures"), default: 5, "Failures in a row; 0 for never.")
        breaker.pauseMilliseconds =
            object.value("pause", .duration, default: .seconds(1), "First pause; each further one is twice as long.")
            .milliseconds
        breaker.longestPauseMilliseconds =
            object.value("longestPause", .duration, default: .seconds(60), "Longest pause.").milliseconds
        return breaker
    }

    static func transport(
        _ object: inout ObjectReader
    ) -> (transport: OutboundTransport, tls: ObjectReader.Member<UpstreamTLSEntry>?) {
        var transport = OutboundTransport()
        transport.allowsHTTP = object.flag(
            "allowHttp", default: false, "Whether secrets and tokens may be sent without TLS; for development only.")
        transport.connectTimeoutMilliseconds =
            object.value(
                "connectTimeout", .duration, default: .seconds(5),
                "Time for name resolution, connection and handshake."
            ).milliseconds
        transport.readTimeoutMilliseconds =
            object.value("readTimeout", .duration, default: .seconds(10), "Time for request and answer together.")
            .milliseconds
        let shape = UpstreamTLSEntry.shape(namesServer: false).reading { UpstreamTLSEntry.shape.read($0) }
        let tls = object.take("tls", shape, "How the server is trusted, and the gateway's certificate for it.")
        return (transport, tls)
    }

    private func transport(
        _ transport: OutboundTransport, _ member: ObjectReader.Member<UpstreamTLSEntry>?
    ) -> OutboundTransport {
        var transport = transport
        guard let field = member?.field, let tls = member?.read() else { return transport }
        if tls.serverName != nil {
            field.error("the certificate is always compared with the host of the URL", expected: "no \"serverName\"")
        }
        guard let identity = ClientTLSAssembly(context: context).clientIdentity(tls, at: field.pointer) else {
            return transport
        }
        transport.tls = ClientTLSAssembly(context: context).clientContext(identity, at: field.pointer)
        transport.hasCertificate = !identity.chain.isEmpty
        return transport
    }

    private func values(
        _ keys: [IssuerKey], _ object: inout ObjectReader, _ allowsHTTP: Bool
    ) -> [String: IssuerValue] {
        var values: [String: IssuerValue] = [:]
        for key in keys {
            let expected = IssuerReader.expectation(key.shape)
            var member: Field?
            if key.isRequired {
                member = object.required(key.name, expected, placeholder: nil) { $0 }
            } else {
                member = object.take(key.name)
            }
            if let member { values[key.name] = value(key.shape, member, values, allowsHTTP) }
        }
        return values
    }

    private static func expectation(_ shape: IssuerKey.Shape) -> String {
        switch shape {
        case .secret: "a secret"
        case .url: "an address to call"
        case .object: "an object"
        default: "a value"
        }
    }

    /// - Parameter others: the values of the keys before this one.
    private func value(
        _ shape: IssuerKey.Shape, _ field: Field, _ others: [String: IssuerValue], _ allowsHTTP: Bool
    ) -> IssuerValue? {
        switch shape {
        case .text: return field.name().map { .text($0) }
        case .secret: return field.secret().map { .text($0.value) }
        case .url: return field.url(allowHTTP: allowsHTTP).map { .url($0) }
        case .flag: return field.bool().map { .flag($0) }
        case .count(let range): return field.integer(in: range).map { .number($0) }
        case .seconds: return field.seconds().map { .number($0) }
        case .choice(let words): return field.choice(words).map { .text($0) }
        case .publicAlgorithm: return field.publicAlgorithm().map { .text($0.rawValue) }
        case .texts: return field.names().map { .texts($0) }
        case .counts(let range):
            return field.elements("an array of numbers").map { .numbers($0.compactMap { $0.integer(in: range) }) }
        case .map: return .map(texts(field) { $0.name() })
        case .secrets: return .map(texts(field) { $0.secret()?.value })
        case .header: return field.headerName().map { .text($0) }
        case .json: return .json(field.node)
        case .signingKey(let algorithm): return key(field, others[algorithm]).map { .key($0) }
        case .object(let keys, _):
            var object = field.object("an object")
            let values = values(keys, &object, allowsHTTP)
            object.finish()
            return .object(ModuleSettings(values, keys: keys))
        }
    }

    private func texts(_ field: Field, _ read: (Field) -> String?) -> [(name: String, value: String)] {
        field.object("an object of strings").entries.compactMap { name, place in
            read(place).map { (name: name, value: $0) }
        }
    }

    private func key(_ field: Field, _ algorithm: IssuerValue?) -> SigningKey? {
        var chosen = SignatureAlgorithm.es256
        if case .text(let name) = algorithm, let known = SignatureAlgorithm(rawValue: name) { chosen = known }
        guard let path = field.path() else { return nil }
        return KeyAssembly(context: context).signingKey(at: path, chosen, pointer: field.pointer)
    }
}

import Bytes
import Configuration
import Crypto
import Identity
import Issuers
import Model

/// From the members of an issuer in `issuers.json` to the settings of its module: what the module declares is read,
/// resolved and reported here, so that no module knows of files, secrets and pointers.
extension Assembly {
    /// What of an issuer is the framework's.
    struct IssuerReading {
        var settings: ModuleSettings
        var guarding = GuardedIssuer.Settings()
    }

    /// Nil after a word about what is wrong.
    mutating func read(_ entry: IssuerEntry, _ module: IssuerModule) -> IssuerReading? {
        let loaded = loaded
        let (reading, found) = loaded.read(entry) { object -> IssuerReading in
            var guarding = GuardedIssuer.Settings()
            var transport = OutboundTransport()
            if module.callsOut {
                guarding = Assembly.guarding(&object)
                transport = self.transport(&object)
            }
            let values = values(module.keys, &object, transport.allowsHTTP)
            return IssuerReading(settings: ModuleSettings(values, transport: transport), guarding: guarding)
        }
        diagnostics += found
        return hasErrors ? nil : reading
    }

    private static func guarding(_ object: inout ObjectReader) -> GuardedIssuer.Settings {
        var guarding = GuardedIssuer.Settings()
        guarding.maximumLifetimeSeconds =
            max(1, object.duration("maximumLifetime", default: .seconds(86_400)).components.seconds)
        if let breaker = object.take("circuitBreaker") {
            var member = breaker.object("an object: {\"failures\", \"pause\", \"longestPause\"}")
            guarding.breaker.failures = member.count("failures", in: 0...10_000, default: 5, "a number of failures")
            guarding.breaker.pauseMilliseconds = member.duration("pause", default: .seconds(1)).milliseconds
            guarding.breaker.longestPauseMilliseconds =
                member.duration("longestPause", default: .seconds(60)).milliseconds
            member.finish()
        }
        return guarding
    }

    private mutating func transport(_ object: inout ObjectReader) -> OutboundTransport {
        var transport = OutboundTransport()
        transport.allowsHTTP = object.flag("allowHttp", default: false)
        transport.connectTimeoutMilliseconds = object.duration("connectTimeout", default: .seconds(5)).milliseconds
        transport.readTimeoutMilliseconds = object.duration("readTimeout", default: .seconds(10)).milliseconds
        guard let field = object.take("tls") else { return transport }
        let tls = UpstreamTLSEntry.read(field)
        if tls.serverName != nil {
            field.error("the certificate is always compared with the host of the URL", expected: "no \"serverName\"")
        }
        guard let identity = identity(tls, at: field.pointer) else { return transport }
        transport.tls = clientContext(identity, at: field.pointer)
        transport.hasCertificate = !identity.chain.isEmpty
        return transport
    }

    private mutating func values(
        _ keys: [IssuerKey], _ object: inout ObjectReader, _ allowsHTTP: Bool
    ) -> [String: IssuerValue] {
        var values: [String: IssuerValue] = [:]
        for key in keys {
            let expected = Assembly.expectation(key.shape)
            var member: Field?
            if key.isRequired {
                member = object.required(key.name, expected, standIn: nil) { $0 }
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
    private mutating func value(
        _ shape: IssuerKey.Shape, _ field: Field, _ others: [String: IssuerValue], _ allowsHTTP: Bool
    ) -> IssuerValue? {
        switch shape {
        case .text: return field.name().map { .text($0) }
        case .secret: return field.secret().map { .text($0.value) }
        case .url: return url(field, allowsHTTP).map { .url($0) }
        case .flag: return field.bool().map { .flag($0) }
        case .count(let range): return field.integer(in: range).map { .number($0) }
        case .seconds: return field.seconds().map { .number($0) }
        case .choice(let words): return field.choice(words).map { .text($0) }
        case .publicAlgorithm: return field.publicAlgorithm().map { .text($0) }
        case .texts: return field.names().map { .texts($0) }
        case .counts(let range):
            return field.elements("an array of numbers").map { .numbers($0.compactMap { $0.integer(in: range) }) }
        case .map: return .map(map(field) { $0.name() })
        case .secrets: return .map(map(field) { $0.secret()?.value })
        case .header: return field.headerName().map { .text($0) }
        case .json: return .json(field.node)
        case .signingKey(let algorithm): return key(field, others[algorithm]).map { .key($0) }
        case .object(let keys):
            var object = field.object("an object")
            let values = values(keys, &object, allowsHTTP)
            object.finish()
            return .object(ModuleSettings(values))
        }
    }

    private func map(_ field: Field, _ read: (Field) -> String?) -> [(name: String, value: String)] {
        field.object("an object of strings").entries.compactMap { name, place in
            read(place).map { (name: name, value: $0) }
        }
    }

    private func url(_ field: Field, _ allowsHTTP: Bool) -> OutboundURL? {
        guard let text = field.callableAddress(allowHTTP: allowsHTTP) else { return nil }
        do throws(OutboundURL.Problem) {
            return try OutboundURL(text)
        } catch {
            field.error("it is no address to call: \(error.rawValue)")
            return nil
        }
    }

    private mutating func key(_ field: Field, _ algorithm: IssuerValue?) -> SigningKey? {
        var chosen = SignatureAlgorithm.es256
        if case .text(let name) = algorithm, let known = SignatureAlgorithm(rawValue: name) { chosen = known }
        guard let path = field.path() else { return nil }
        return signingKey(at: path, chosen, pointer: field.pointer)
    }
}

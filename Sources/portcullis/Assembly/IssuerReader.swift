import Configuration
import Crypto
import Declaration
import Issuers
import Model
import Outbound

/// From the members of an issuer in `issuers.json` to the issuer: its module reads its own, and the framework those of all.
struct IssuerReader: AssemblyPart {
    let context: AssemblyContext

    /// The issuer of an entry, and how it is guarded; nil after an error.
    func read(
        _ entry: IssuerEntry, _ module: IssuerModule, serviceKey: SigningKey?
    ) -> (issuer: any TokenIssuer, guarding: GuardedIssuer.Settings)? {
        var guarding = GuardedIssuer.Settings()
        let (issuer, found) = context.loaded.read(entry) { object in
            var dependencies = IssuerDependencies(
                caller: retained.outbound, serviceKey: serviceKey, serviceIssuer: configuration.tokenService.issuer)
            dependencies.commonNames = IssuerEntry.names + IssuerReader.form.names
            dependencies.signingKey = { field, algorithm in
                field.path().flatMap {
                    KeyAssembly(context: context).signingKey(at: $0, algorithm, pointer: field.pointer)
                }
            }
            if module.callsOut {
                guarding = IssuerReader.guarding(&object)
                let (plain, tls) = IssuerReader.transport(&object)
                dependencies.transport = transport(plain, tls)
            }
            return module.read(&object, dependencies)
        }
        context.add(found)
        guard let issuer, !context.hasErrors else { return nil }
        return (issuer, guarding)
    }

    /// The form of an entry of a module, beside what all entries have.
    static func form(of module: IssuerModule) -> ObjectForm {
        let own = module.form
        return ObjectForm(own.keys + (module.callsOut ? form.keys : []), rules: own.rules)
    }

    private static var form: ObjectForm {
        ObjectForm.of { object in
            _ = guarding(&object)
            _ = transport(&object)
        }
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
        transport.hasCertificate = tls.certificateFile != nil
        return transport
    }
}

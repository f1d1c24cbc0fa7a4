import Crypto
import Issuers
import JOSE
import Model
import Policy
import Reactor

/// Issuers and rules of the preset `pomerium-jwt`, which is an injection with an issuer for each host.
enum SignedIdentity {
    /// The issuers by name. Identifiers have no blanks, so that no issuer of `issuers.json` has such a name.
    static func issuers(
        _ routes: [RouteEntry], host: String, key: SigningKey?, _ gate: (String) -> IssuerGate
    ) -> [String: GuardedIssuer] {
        var issuers: [String: GuardedIssuer] = [:]
        for route in routes where route.options.requestFields?.signsIdentity == true {
            let name = name(route, host: host)
            // A missing key has been reported.
            guard issuers[name] == nil, let key,
                let issuer = IdentityAssertionIssuer(
                    audience: audience(route, host: host), signer: JWTSigner(key: key))
            else { continue }
            issuers[name] = GuardedIssuer(
                issuer, settings: GuardedIssuer.Settings(), gate: gate(name), clock: { Clock.monotonicMicroseconds })
        }
        return issuers
    }

    /// The rule of a route; nil without the preset.
    static func rule(
        _ route: RouteEntry, host: String, _ modules: [String: GuardedIssuer]
    ) -> InjectionRule? {
        guard route.options.requestFields?.signsIdentity == true, let module = modules[name(route, host: host)] else {
            return nil
        }
        return InjectionRule(
            issuer: module.gate.name, configurationID: module.configurationID,
            header: FieldRules.identityAssertion, format: "{token}", retriesOnUnauthorized: false,
            replacesCredential: false)
    }

    private static func name(_ route: RouteEntry, host: String) -> String {
        "pomerium-jwt \(audience(route, host: host))"
    }

    /// The first host of the route that is no pattern, else the gateway's.
    private static func audience(_ route: RouteEntry, host: String) -> String {
        route.hosts.first { !$0.isWildcard }.map { String(decoding: $0.name, as: UTF8.self) } ?? host
    }
}

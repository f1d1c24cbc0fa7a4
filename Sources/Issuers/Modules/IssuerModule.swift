import Crypto
import Identity
import Outbound

/// A kind of issuer: its name and settings in `issuers.json`, and its factory (ISS-01).
package struct IssuerModule: Sendable {
    package let kind: String
    /// Alternative names.
    package let aliases: [String]
    package let keys: [IssuerKey]
    /// Constraints between keys, as members of a JSON Schema.
    package let constraints: String
    /// Whether it calls other servers, which then have TLS, timeout and breaker settings.
    package let callsOut: Bool
    package let build: @Sendable (ModuleSettings, IssuerDependencies) throws(IssuerProblem) -> any TokenIssuer

    package init(
        kind: String, aliases: [String] = [], callsOut: Bool = false, keys: [IssuerKey],
        constraints: String = "{}",
        build: @escaping @Sendable (ModuleSettings, IssuerDependencies) throws(IssuerProblem) -> any TokenIssuer
    ) {
        self.kind = kind
        self.aliases = aliases
        self.keys = keys
        self.constraints = constraints
        self.callsOut = callsOut
        self.build = build
    }
}

/// Dependencies of a module.
package struct IssuerDependencies: Sendable {
    /// Calls other servers.
    package let caller: any OutboundCaller
    /// The signing key of the token service.
    package let serviceKey: SigningKey?
    /// The `iss` of the token service.
    package let serviceIssuer: String

    package init(caller: any OutboundCaller, serviceKey: SigningKey?, serviceIssuer: String) {
        self.caller = caller
        self.serviceKey = serviceKey
        self.serviceIssuer = serviceIssuer
    }
}

/// Settings that are individually valid but inconsistent.
package struct IssuerProblem: Error, Sendable {
    /// The member at fault, as a JSON pointer relative to the entry; empty for the entry itself.
    package let pointer: String
    package let message: String
    package let expected: String?

    package init(at pointer: String = "", _ message: String, expected: String? = nil) {
        self.pointer = pointer
        self.message = message
        self.expected = expected
    }
}

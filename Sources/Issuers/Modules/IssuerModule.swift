import Crypto
import Identity
import Outbound

/// A kind of issuer as the composition root knows it: the name and the settings that it has in `issuers.json`, and how
/// it is made of them (ISS-01).
package struct IssuerModule: Sendable {
    package let kind: String
    /// Other names of the same.
    package let aliases: [String]
    package let keys: [IssuerKey]
    /// What is checked of several keys at once, as members of a JSON Schema.
    package let constraints: String
    /// Whether it asks other servers, so that there is something to trust, to wait for and to spare.
    package let callsOut: Bool
    package let build: @Sendable (ModuleSettings, IssuerSurroundings) throws(IssuerProblem) -> any TokenIssuer

    package init(
        kind: String, aliases: [String] = [], callsOut: Bool = false, keys: [IssuerKey],
        constraints: String = "{}",
        build: @escaping @Sendable (ModuleSettings, IssuerSurroundings) throws(IssuerProblem) -> any TokenIssuer
    ) {
        self.kind = kind
        self.aliases = aliases
        self.keys = keys
        self.constraints = constraints
        self.callsOut = callsOut
        self.build = build
    }
}

/// What a module finds around it.
package struct IssuerSurroundings: Sendable {
    /// Calls other servers.
    package let caller: any OutboundCaller
    /// What the token service signs with.
    package let serviceKey: SigningKey?
    /// The `iss` of the token service.
    package let serviceIssuer: String

    package init(caller: any OutboundCaller, serviceKey: SigningKey?, serviceIssuer: String) {
        self.caller = caller
        self.serviceKey = serviceKey
        self.serviceIssuer = serviceIssuer
    }
}

/// Settings that are sound one by one and make no sense together.
package struct IssuerProblem: Error, Sendable {
    /// The member that is to blame, as a JSON pointer below the entry; empty for the entry itself.
    package let pointer: String
    package let message: String
    package let expected: String?

    package init(at pointer: String = "", _ message: String, expected: String? = nil) {
        self.pointer = pointer
        self.message = message
        self.expected = expected
    }
}

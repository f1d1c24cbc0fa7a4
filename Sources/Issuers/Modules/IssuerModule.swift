import Crypto
import Identity
import Model
import Outbound

/// A kind of issuer: its name and settings in `issuers.json`, and its factory (ISS-01).
package struct IssuerModule: Sendable {
    package let kind: String
    /// Alternative names.
    package let aliases: [String]
    package let keys: [IssuerKey]
    /// Rules between keys.
    package let rules: [KeyRule]
    /// Whether it calls other servers, which then have TLS, timeout and breaker settings.
    package let callsOut: Bool
    private let make: @Sendable (ModuleSettings, IssuerDependencies) throws(IssuerProblem) -> any TokenIssuer

    package init(
        kind: String, aliases: [String] = [], callsOut: Bool = false, keys: [IssuerKey],
        rules: [KeyRule] = [],
        build make: @escaping @Sendable (ModuleSettings, IssuerDependencies) throws(IssuerProblem) -> any TokenIssuer
    ) {
        self.kind = kind
        self.aliases = aliases
        self.keys = keys
        self.rules = rules
        self.callsOut = callsOut
        self.make = make
    }

    /// The issuer of settings that keep the rules.
    package func build(
        _ settings: ModuleSettings, _ dependencies: IssuerDependencies
    ) throws(IssuerProblem) -> any TokenIssuer {
        if let violation = settings.violations(of: rules).first { throw IssuerProblem(violation) }
        for key in keys {
            guard case .object(_, let rules) = key.shape, let part = settings.object(key.name) else { continue }
            if let violation = part.violations(of: rules).first { throw IssuerProblem(violation, of: key.name) }
        }
        return try make(settings, dependencies)
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

    /// - Parameter part: the member whose object breaks the rule.
    fileprivate init(_ violation: KeyRule.Violation, of part: String? = nil) {
        self.init(
            at: [part, violation.name].compactMap(\.self).joined(separator: "/"), violation.message,
            expected: violation.expected)
    }
}

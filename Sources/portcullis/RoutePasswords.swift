import Configuration
import Identity
import Issuers
import Model

/// The issuers that verify passwords of routes.
enum RoutePasswords {
    /// By name. Reports issuers that verify no passwords.
    static func verifiers(_ context: AssemblyContext, _ modules: [String: GuardedIssuer]) -> [String:
        any PasswordVerifier]
    {
        var verifiers: [String: any PasswordVerifier] = [:]
        for (index, route) in context.configuration.routes.enumerated() {
            for entry in route.options.authenticators ?? [] where entry.passwords != nil {
                // An issuer that could not be made was reported with its own entry.
                guard let name = entry.issuer, let module = modules[name] else { continue }
                if let passwords = IssuerPasswords(module) {
                    verifiers[name] = passwords
                } else {
                    context.report(
                        "/routes/\(index)/authenticators",
                        "the issuer \"\(name)\" of module \(module.kind) verifies no passwords",
                        expected: "one of module oauth2, oam, or http with {password}", severity: .error)
                }
            }
        }
        return verifiers
    }
}

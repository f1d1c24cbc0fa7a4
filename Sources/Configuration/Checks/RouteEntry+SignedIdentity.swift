import Declaration
import Model

extension RouteEntry {
    var signsIdentity: Bool { options.requestFields?.signsIdentity == true }

    /// Upstreams verify the assertion with the key set of the token service, and the gateway alone writes its field.
    func checkSignedIdentity(
        at pointer: String, _ service: TokenServiceSection, _ injections: [InjectionEntry], _ findings: Findings
    ) {
        guard signsIdentity, let rules = options.requestFields else { return }
        let place = "\(pointer)/requestHeaders/preset"
        if !service.isEnabled {
            findings.error(
                place, "without the token service there is no key set to verify assertions with",
                expected: "\"tokenService\" enabled")
        } else if service.algorithm.isSymmetric {
            findings.error(
                place, "assertions of \(service.algorithm.rawValue) could be forged by each server that verifies them",
                expected: "a \"tokenService\" with a public algorithm, such as ES256")
        }
        let others = injections.map(\.header) + rules.lines.map(\.name)
        if let taken = others.first(where: { FieldRules.isAlias($0, FieldRules.identityAssertion) }) {
            findings.error(place, "the route writes the field \"\(taken)\" itself", expected: "it at one place")
        }
    }
}

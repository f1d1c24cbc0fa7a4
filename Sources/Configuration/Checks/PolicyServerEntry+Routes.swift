import Bytes
import Declaration
import Model

/// What routes and the policy servers that they name have to agree in.
extension PolicyServerEntry {
    func isAsked(by route: RouteEntry) -> Bool {
        route.rules.contains { $0.policyServers.contains(where: name.isExactly) }
    }

    /// Reports variables that questions of the route name and its path does not have.
    func checkVariables(of route: RouteEntry, at pointer: String, _ findings: Findings) {
        let names = rules.evaluations.flatMap(\.variableNames)
        guard isAsked(by: route), let variable = names.first(where: { route.path.place(of: $0) == nil }) else { return }
        findings.error(
            "\(pointer)/path", "policy server \"\(name)\" is asked about \"{\(variable)}\", which the path lacks",
            expected: "a segment {\(variable)}, or a policy server with other \"evaluations\"")
    }
}

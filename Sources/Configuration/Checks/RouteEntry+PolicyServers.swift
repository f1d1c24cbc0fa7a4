import Bytes
import Declaration
import Model

/// What routes and the policy servers that they name have to agree in.
extension RouteEntry {
    func asks(_ server: PolicyServerEntry) -> Bool {
        rules.contains { $0.policyServers.contains(where: server.name.isExactly) }
    }

    /// Reports variables that questions to policy servers name and the path does not have.
    func checkEvaluations(at pointer: String, _ servers: [PolicyServerEntry], _ findings: Findings) {
        for server in servers where asks(server) {
            let names = server.rules.evaluations.flatMap(\.variableNames)
            guard let name = names.first(where: { path.place(of: $0) == nil }) else { continue }
            findings.error(
                "\(pointer)/path",
                "policy server \"\(server.name)\" is asked about \"{\(name)}\", which the path lacks",
                expected: "a segment {\(name)}, or a policy server with other \"evaluations\"")
        }
    }
}

import HTTP
import Model
import Outbound
import Policy

extension Explanation {
    /// The servers that are asked about the request, and their answer where the command has them asked.
    mutating func showPolicy(_ run: borrowing DecisionRun) throws(Reason) {
        let isTrial = run.decision.step == .trialPolicy
        guard let route = isTrial ? run.decision.route?.trial : run.decision.route else { return }
        let names = route.policyServers.askers.map(\.server.name).joined(separator: ", ")
        let (path, bytes) = (run.path, run.request.bytes)
        var request = try PolicyRequest(
            route, telling: route.policyServers.inputHeaders, path: path.span, bytes: bytes.span,
            head: run.request.head, headers: run.request.headers, isSecure: isEncrypted, address: nil)
        request.time = run.now
        guard asksPolicy else {
            return leaveOpen(
                "policy", "\(names) would be asked\(isTrial ? " for the rule on trial" : ""); not asked here")
        }
        let answer = route.policyServers.ask(request, run.decision.principal, route).waited()
        let detail = answer.note.isEmpty ? [] : [answer.note]
        guard let denial = answer.denial else {
            return pass(
                "policy", (["\(answer.server): \(answer.outcome.rawValue)"] + detail).joined(separator: "; "))
        }
        if isTrial {
            return leaveOpen("trial", (["would be refused: \(denial.code)"] + detail).joined(separator: "; "))
        }
        refuse("policy", denial, Evidence(detail))
        throw denial
    }

    /// Rules by tool, for which only a running gateway has the message.
    mutating func show(_ rules: MCPRules?) {
        guard let rules else { return }
        for kind in MCPRules.Kind.allCases {
            for entry in rules.entries[kind] ?? [] {
                leaveOpen("message", "\(kind.rawValue) \(entry.name): \(Explanation.text(of: entry.access))")
            }
        }
        leaveOpen("message", "others: \(rules.allowsOthers ? "allowed" : "refused"); messages are not read here")
    }

    private static func text(of rule: AccessRule) -> String {
        func texts(_ noun: String, _ names: RoleNames) -> [String] {
            (names.all.isEmpty ? [] : ["\(noun) \(names.all.joined(separator: ", "))"])
                + (names.any.map { ["\(noun) \($0.joined(separator: " or "))"] } ?? [])
                + (names.none.isEmpty ? [] : ["not \(noun) \(names.none.joined(separator: ", "))"])
        }
        let needed = texts("role", rule.roles) + texts("scope", rule.scopes) + rule.claims.map { "\($0)" }
        return needed.isEmpty ? "any caller" : "needs \(needed.joined(separator: "; "))"
    }
}

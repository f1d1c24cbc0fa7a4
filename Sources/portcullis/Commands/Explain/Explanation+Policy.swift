import Bytes
import HTTP
import Model
import Outbound
import Policy
import Reactor

extension Explanation {
    /// The servers that are asked about the request, and their answer where the command has them asked. Returns false for a
    /// refused request.
    mutating func showPolicy(
        _ decision: borrowing Decision, _ path: [UInt8], _ request: [UInt8], _ head: RequestHead, _ fields: HeaderTable
    ) -> Bool {
        let isTrial = decision.step == .trialPolicy
        guard let route = isTrial ? decision.route?.trial : decision.route else { return true }
        let names = route.policyServers.askers.map(\.server.name).joined(separator: ", ")
        do throws(Reason) {
            var request = try PolicyRequest(
                route, telling: route.policyServers.inputHeaders, path: path.span, bytes: request.span, head: head,
                headers: fields,
                isSecure: isEncrypted, address: nil)
            request.time = Clock.wallSeconds
            guard asksPolicy else {
                leaveOpen("policy", "\(names) would be asked\(isTrial ? " for the rule on trial" : ""); not asked here")
                return true
            }
            let answer = route.policyServers.ask(request, decision.principal, route).waited()
            let detail = answer.note.isEmpty ? [] : [answer.note]
            guard let denial = answer.denial else {
                pass("policy", (["\(answer.server): \(answer.outcome.rawValue)"] + detail).joined(separator: "; "))
                return true
            }
            if isTrial {
                leaveOpen("trial", (["would be refused: \(denial.code)"] + detail).joined(separator: "; "))
                return true
            }
            refuse("policy", denial, Evidence(detail))
            return false
        } catch {
            refuse("policy", error)
            return false
        }
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

import Bytes
import Model
import Outbound

extension OPAFormat: AskedFormat {
    static func call(
        to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
    ) -> OutboundCall {
        let types = [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json")]
        return server.transport.call(
            "POST", server.url, headers: headers + types, body: question.document,
            maximumBytes: PolicyServer.maximumBytes)
    }

    static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        guard response.status == 200 else { return PolicyAnswer.unusable(response, rules) }
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 32), node.members != nil else {
            return PolicyAnswer.failed("unusable", isOutage: false, rules.onFailure)
        }
        // Open Policy Agent leaves out what its rules do not define.
        guard let result = node["result"] else { return PolicyAnswer.denied(nil, note: "undefined") }
        if let flag = result.bool { return flag ? PolicyAnswer(outcome: .allowed) : PolicyAnswer.denied(nil) }
        let note = String((result["reason"]?.string ?? "").prefix(PolicyAnswer.longestNote))
        guard result["allow"]?.bool == true else { return PolicyAnswer.denied(result["status"]?.integer, note: note) }
        var lines: [UInt8] = []
        for name in rules.answerHeaders {
            for member in result["headers"]?.members ?? [] where PolicyAnswer.isSame(member.name, name) {
                let texts = member.node.string.map { [$0] } ?? member.node.array?.compactMap(\.string) ?? []
                for text in texts where !PolicyAnswer.append(name, text, to: &lines) {
                    return PolicyAnswer.failed("unusable", isOutage: false, rules.onFailure)
                }
            }
        }
        return PolicyAnswer(outcome: .allowed, fields: lines, note: note)
    }
}

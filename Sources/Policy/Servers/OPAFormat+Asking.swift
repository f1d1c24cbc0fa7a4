import Bytes
import Model
import Outbound

extension OPAFormat: AskedFormat {
    static func call(
        to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
    ) -> OutboundCall {
        server.transport.call(
            "POST", server.url, headers: headers + PolicyServer.documentTypes, body: question.document,
            maximumBytes: PolicyServer.maximumBytes)
    }

    static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        guard response.status == 200 else { return PolicyAnswer.unusable(response, rules) }
        guard let node = PolicyAnswer.document(in: response) else {
            return PolicyAnswer.failed("unusable", isOutage: false, rules.onFailure)
        }
        // Open Policy Agent leaves out what its rules do not define.
        guard let result = node["result"] else { return PolicyAnswer.denied(nil, note: "undefined") }
        if let flag = result.bool { return flag ? PolicyAnswer(outcome: .allowed) : PolicyAnswer.denied(nil) }
        let note = String((result["reason"]?.string ?? "").prefix(PolicyAnswer.longestNote))
        guard result["allow"]?.bool == true else { return PolicyAnswer.denied(result["status"]?.integer, note: note) }
        guard let lines = PolicyAnswer.lines(of: result["headers"], rules) else {
            return PolicyAnswer.failed("unusable", isOutage: false, rules.onFailure)
        }
        return PolicyAnswer(outcome: .allowed, fields: lines, note: note)
    }
}

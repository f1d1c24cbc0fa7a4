import Model
import Outbound

extension FieldsFormat: AskedFormat {
    static func call(
        to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
    ) -> OutboundCall {
        server.transport.call(
            "GET", server.url, headers: headers + question.fields, maximumBytes: PolicyServer.maximumBytes)
    }

    static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        switch response.status {
        case 200..<300:
            var lines: [UInt8] = []
            for name in rules.answerHeaders {
                for value in response.values(of: name) where !PolicyAnswer.append(name, value, to: &lines) {
                    return PolicyAnswer.failed("unusable", isOutage: false, rules.onFailure)
                }
            }
            return PolicyAnswer(outcome: .allowed, fields: lines)
        case 401, 403, 404: return PolicyAnswer.denied(Int64(response.status))
        default: return PolicyAnswer.unusable(response, rules)
        }
    }
}

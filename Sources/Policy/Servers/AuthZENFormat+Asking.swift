import Bytes
import Identity
import Model
import Outbound

extension AuthZENFormat: AskedFormat {
    static func call(
        to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
    ) -> OutboundCall {
        var headers = headers + PolicyServer.documentTypes
        let id = question.request.requestID
        if !id.isEmpty { headers.append((PolicyServer.requestIDField, id)) }
        return server.transport.call(
            "POST", server.url, headers: headers, body: JSONWriter.object(question.writeEvaluations),
            maximumBytes: PolicyServer.maximumBytes)
    }

    static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer {
        guard response.status == 200 else { return PolicyAnswer.unusable(response, rules) }
        func failed(_ cause: String) -> PolicyAnswer { .failed(cause, isOutage: false, rules.onFailure) }
        guard let node = PolicyAnswer.document(in: response) else { return failed("unusable") }
        let count = max(rules.evaluations.count, 1)
        guard let answers = count == 1 ? [node] : node["evaluations"]?.array, answers.count <= count else {
            return failed("evaluations")
        }
        // The answer to another question than this one counts as none.
        let isOther =
            count == 1 ? node["decision"] != nil && node["evaluations"] != nil : node["decision"]?.bool == false
        guard !isOther else { return failed("evaluations") }
        let decisions = answers.compactMap { $0["decision"]?.bool }
        guard decisions.count == answers.count else { return failed("decision") }
        if let refused = decisions.firstIndex(of: false) {
            return PolicyAnswer.denied(nil, note: note(answers[refused]["context"]))
        }
        // Answers may be missing only behind a refusal.
        guard answers.count == count else { return failed("evaluations") }
        var lines: [UInt8] = []
        for answer in answers {
            guard let more = PolicyAnswer.lines(of: answer["context"]?["headers"], rules) else {
                return failed("unusable")
            }
            lines += more
        }
        return PolicyAnswer(
            outcome: .allowed, fields: lines, note: answers.lazy.map { note($0["context"]) }.first ?? "")
    }

    /// The reason that a server gives, in one of the places that the examples of the specification have.
    private static func note(_ context: JSONNode?) -> String {
        let texts = context?["reason_admin"]
        let note =
            context?["reason"]?.string ?? texts?.string ?? texts?.members?.lazy.compactMap(\.node.string).first
            ?? context?["error"]?["message"]?.string ?? ""
        return String(note.prefix(PolicyAnswer.longestNote))
    }
}

extension PolicyQuestion {
    /// The members of an Access Evaluation Request (section 6.1), or with several of an Access Evaluations Request (section
    /// 7.1).
    fileprivate func writeEvaluations(_ object: inout JSONWriter) {
        object.member("subject", writeSubject)
        object.member("context", writeContext)
        let evaluations = server.rules.evaluations
        guard evaluations.count > 1 else {
            return write(evaluations.first ?? PolicyEvaluation(), to: &object)
        }
        object.name("evaluations")
        object.beginArray()
        for evaluation in evaluations { object.object { write(evaluation, to: &$0) } }
        object.endArray()
        object.member("options") { $0.member("evaluations_semantic", "deny_on_first_deny") }
    }

    private func writeSubject(_ subject: inout JSONWriter) {
        subject.member("type", principal?.kind.rawValue ?? "anonymous")
        subject.member("id", principal?.subject ?? "anonymous")
        guard let principal else { return }
        subject.member("properties") { write(principal, to: &$0) }
    }

    private func write(_ evaluation: PolicyEvaluation, to object: inout JSONWriter) {
        func filled(_ text: String) -> String {
            PolicyEvaluation.filled(text) { name in request.variables.first { $0.name == name }?.value ?? "" }
        }
        object.member("action") { $0.member("name", evaluation.action.map(filled) ?? request.method) }
        object.member("resource") { resource in
            resource.member("type", filled(evaluation.resourceType))
            resource.member("id", evaluation.resourceID.map(filled) ?? request.path)
            resource.member("properties") { properties in
                properties.member("route", route)
                properties.member("path", request.path)
                writeVariables(&properties)
            }
        }
    }

    private func writeContext(_ context: inout JSONWriter) {
        if let time = request.time { context.member("time", InternetDate.text(time)) }
        if !request.requestID.isEmpty { context.member("request_id", request.requestID) }
        if let address = request.address { context.member("client", "\(address)") }
        context.member("method", request.method)
        context.member("host", request.host)
        context.member("scheme", request.isSecure ? "https" : "http")
        writeParameters(&context)
    }
}

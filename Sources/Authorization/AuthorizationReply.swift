import Endpoints
import HTTP
import LoginPages
import Model

/// Sends the browser back to the client (RFC 6749 section 4.1.2). Every answer names the issuer, so that a client of
/// several servers notices an answer of another one (RFC 9207).
struct AuthorizationReply: Sendable {
    let destination: RedirectDestination
    let mode: AuthorizationRequest.Mode
    /// Nil for none, or an invalid one.
    let state: String?
    let issuer: String

    init(_ destination: RedirectDestination, _ request: AuthorizationRequest, issuer: String) {
        self.destination = destination
        mode = request.mode
        state = request.state
        self.issuer = issuer
    }

    /// The answer to an invalid request, by those of its parameters that are valid.
    init(_ destination: RedirectDestination, _ fields: FormFields, issuer: String) {
        self.destination = destination
        let mode = fields.isRepeated("response_mode") ? nil : try? AuthorizationRequest.mode(fields)
        self.mode = mode == .formPost && RedirectTarget(destination.text) != nil ? .formPost : .query
        let state = fields.isRepeated("state") ? nil : fields.value("state")
        self.state = AuthorizationRequest.isPlain(state) ? state : nil
        self.issuer = issuer
    }

    func code(_ code: String, fields: [(name: String, value: String)]) -> EndpointResponse {
        response([("code", code)], .codeIssued, hint: .goOnHint, fields)
    }

    func refusal(_ refusal: AuthorizationRefusal) -> EndpointResponse {
        let parameters = [("error", refusal.error), ("error_description", refusal.description)]
        return response(parameters, refusal.reason, hint: .goBackHint, [])
    }

    private func response(
        _ parameters: [(String, String)], _ reason: Reason, hint: PageText, _ fields: [(name: String, value: String)]
    ) -> EndpointResponse {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        if mode == .formPost, let target = RedirectTarget(destination.text) {
            return Page.post(all, to: target, hint: hint).response(status: 200, reason: reason, fields: fields)
        }
        // 303, so that a form is not posted again (RFC 9700 section 4.12).
        let quiet = [(name: "Referrer-Policy", value: "no-referrer")]
        return .redirect(303, to: destination.adding(all), reason: reason, fields: quiet + fields)
    }
}

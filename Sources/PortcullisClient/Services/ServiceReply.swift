import Bytes

/// What a service of the gateway answered: a token, a question, or why not.
struct ServiceReply {
    let status: Int
    private let body: JSONNode?

    init(_ response: ClientResponse) {
        status = response.status
        let parsed = try? JSONNode.parse(response.body.span)
        body = parsed?.members == nil ? nil : parsed
    }

    func text(_ name: String) -> String? { body?[name]?.string }

    func number(_ name: String) -> Int64? { body?[name]?.integer }

    var isSuccess: Bool { status == 200 || status == 201 }

    /// The token, where the answer is one of the wanted type: neither an empty token nor one of another type is success,
    /// whatever the status (oam-wire 8.2).
    func token(_ type: String) throws(ClientError) -> String {
        guard isSuccess else { throw refusal }
        guard let token = text("X-Idaas-Rest-Token-Value"), !token.isEmpty,
            let named = text("X-Idaas-Rest-Token-Type"), named.utf8.elementsEqual(type.utf8)
        else { throw ClientError(.malformedResponse, "the answer has no \(type)") }
        return token
    }

    /// A step that is to follow (OMS-14).
    var question: (id: String, ClientPrompts.Question)? {
        guard isSuccess, text("status") == "challenge", let id = text("challengeId") else { return nil }
        return (id, ClientPrompts.Question(type: text("type") ?? "", text: text("question")))
    }

    /// Whether the server told us to forget everything (OMS-16).
    var isWipe: Bool { status == 403 && (text("code") == "device_wipe" || text("action") == "wipe") }

    /// Why a call did not succeed. A service that others answer for is never a wrong password.
    var refusal: ClientError {
        if isWipe { return ClientError(.deviceWiped, "the server has ordered this device to be wiped") }
        let said = text("error_description") ?? text("message") ?? text("detail")
        let detail = said.map { ": \(Self.printable($0))" } ?? ""
        switch (status, text("code") ?? text("error")) {
        case (401, "invalid_client"), (400, "invalid_client"):
            return ClientError(.refused, "the server does not know the application, or its secret\(detail)")
        case (401, _), (400, "invalid_grant"):
            let left = number("remainingAttempts").map { "; \($0) more attempts" } ?? ""
            return ClientError(.invalidCredentials, "the server does not accept the credentials\(detail)\(left)")
        case (403, "login_attempts_exceeded"), (429, _):
            return ClientError(.loginAttemptsExceeded, "there were too many failed logins\(detail)")
        case (404, _):
            return ClientError(.unknownApplication, "the server has no such service or application\(detail)")
        case (500..., _): return ClientError(.unavailable, "the server cannot answer now (status \(status))")
        default: return ClientError(.refused, "the server has refused (status \(status))\(detail)")
        }
    }

    /// What a server says goes to a terminal: no control characters, and not too much.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}

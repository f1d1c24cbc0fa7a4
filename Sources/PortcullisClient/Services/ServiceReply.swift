import Bytes
import ClientStore

/// The response of a service of the gateway: a token, a question or an error.
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

    /// The token of the expected type; an empty token or another type is an error regardless of the status (oam-wire
    /// 8.2).
    func token(_ type: String) throws(ClientError) -> String {
        guard isSuccess else { throw refusal }
        guard let token = text("X-Idaas-Rest-Token-Value"), !token.isEmpty,
            let named = text("X-Idaas-Rest-Token-Type"), named.isExactly(type)
        else { throw ClientError(.malformedResponse, "the answer has no \(type)") }
        return token
    }

    /// A further step of the login (OMS-14).
    var question: (id: String, ClientPrompts.Question)? {
        guard isSuccess, text("status") == "challenge", let id = text("challengeId") else { return nil }
        return (id, ClientPrompts.Question(type: text("type") ?? "", text: text("question")))
    }

    /// Whether the response is an order to wipe (OMS-16).
    var isWipe: Bool { status == 403 && (text("code") == "device_wipe" || text("action") == "wipe") }

    /// The error of a call. A failed service is never reported as a wrong password.
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
        case (403, "use_identity_provider"):
            return ClientError(.useProvider, "users of this service domain log in at an identity provider, by browser")
        case (403, "login_attempts_exceeded"), (429, _):
            return ClientError(.loginAttemptsExceeded, "there were too many failed logins\(detail)")
        case (404, _):
            return ClientError(.unknownApplication, "the server has no such service or application\(detail)")
        case (500..., _): return ClientError(.unavailable, "the server cannot answer now (status \(status))")
        default: return ClientError(.refused, "the server has refused (status \(status))\(detail)")
        }
    }

    /// The text of a server for a terminal, shortened and without control characters.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}

import Bytes
import Identity
import Model
import Outbound

/// Facebook's token inspection: `GET /debug_token?input_token=...&access_token=APP_ID|APP_SECRET` (FB-03).
enum FacebookInspection {
    /// The call; nil for a token that cannot be sent.
    static func call(about token: [UInt8], for login: SocialLogin) -> OutboundCall? {
        guard !token.isEmpty, token.allSatisfy({ $0 > ASCII.space && $0 < 0x7f }) else { return nil }
        let fields = [
            ("input_token", String(decoding: token, as: UTF8.self)),
            ("access_token", "\(login.appID)|\(login.appSecret)"),
        ]
        guard let url = try? WebURL(login.verifyURL.with(fields)) else { return nil }
        return OutboundCall(url: url, headers: [(name: "Accept", value: "application/json")], maximumBytes: 65_536)
    }

    /// Reads the answer: `{"data": {"app_id", "is_valid", "user_id", "expires_at"}}`.
    ///
    /// A status other than 200 concerns the gateway's own call (a wrong app secret, too many calls), not the token.
    static func verdict(_ result: OutboundResult, for login: SocialLogin, now: Int64) -> SocialVerdict {
        guard case .response(let response) = result, response.status == 200,
            let answer = try? JSONNode.parse(response.body.span, maximumDepth: 16), let facts = answer["data"],
            let isValid = facts["is_valid"]?.bool
        else { return .unavailable }
        // Tokens of other apps are refused: otherwise an app's operator could log in here as its users.
        guard isValid, let appID = text(facts["app_id"]), appID.isExactly(login.appID),
            isOfUser(facts["type"]), let userID = text(facts["user_id"]), !userID.isEmpty,
            ExternalIdentityRules.isFitForHeaders(userID)
        else { return .invalid }
        // 0 marks a token that does not expire.
        guard let end = facts["expires_at"]?.integer, end != 0 else { return .valid(userID: userID, endsAt: nil) }
        return end > now ? .valid(userID: userID, endsAt: end) : .invalid
    }

    /// Excludes tokens of pages and apps.
    private static func isOfUser(_ type: JSONNode?) -> Bool {
        guard let type else { return true }
        return type.string?.isExactly("USER") == true
    }

    /// Ids are strings; numbers in older answers.
    private static func text(_ node: JSONNode?) -> String? {
        node?.string ?? node?.integer.map { String($0) }
    }
}

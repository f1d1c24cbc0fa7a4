import Bytes

/// The body of `POST /admin/revocations`. Parsed strictly: a misspelt member must not weaken an intended revocation.
struct RevocationRequest: Equatable {
    enum Target: Equatable {
        /// One token, and tokens issued for its subject if given.
        case token(id: String, subject: String?)
        /// All tokens of a subject issued so far.
        case subject(String)
        /// All tokens of a client issued so far.
        case client(id: String)
        /// All tokens of an issuer issued so far, by the name of its entry; `local` for this gateway.
        case issuer(String)
    }

    typealias Refusal = RevocationPeriod.Refusal

    let target: Target
    let period: RevocationPeriod

    init(_ body: [UInt8], now: Int64) throws(Refusal) {
        guard let request = try? JSONNode.parse(body.span), let members = request.members else {
            throw Refusal(
                expected: "a JSON object with \"jti\", \"subject\", \"clientId\" or \"issuer\" is expected")
        }
        for member in members where !RevocationRequest.members.contains(member.name) {
            throw Refusal(
                expected:
                    "only \"jti\", \"subject\", \"clientId\", \"issuer\", \"issuedBefore\" and \"until\" are known")
        }
        let id = try RevocationRequest.text("jti", in: request)
        let subject = try RevocationRequest.text("subject", in: request)
        let client = try RevocationRequest.text("clientId", in: request)
        let issuer = try RevocationRequest.text("issuer", in: request)
        switch (id, subject, client, issuer) {
        case (let id?, let subject, nil, nil): target = .token(id: id, subject: subject)
        case (nil, let subject?, nil, nil): target = .subject(subject)
        case (nil, nil, let client?, nil): target = .client(id: client)
        case (nil, nil, nil, let issuer?): target = .issuer(issuer)
        default: throw Refusal(expected: "one of \"jti\", \"subject\", \"clientId\" and \"issuer\" is expected")
        }
        period = try RevocationPeriod(request, now: now)
        if case .token = target, period.issuedBefore != nil {
            throw Refusal(expected: "\"issuedBefore\" goes with \"subject\", \"clientId\" or \"issuer\"")
        }
    }

    private static let members = ["jti", "subject", "clientId", "issuer", "issuedBefore", "until"]

    private static func text(_ name: String, in request: JSONNode) throws(Refusal) -> String? {
        guard let node = request[name] else { return nil }
        guard let text = node.string, !text.isEmpty else {
            throw Refusal(expected: "\"\(name)\" must be a text that is not empty")
        }
        return text
    }
}

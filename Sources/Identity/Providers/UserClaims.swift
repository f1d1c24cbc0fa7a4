import Bytes
import Model
import Outbound

/// Reads the user info response (OpenID Connect Core section 5.3) and its equivalents at plain OAuth 2 providers.
enum UserClaims {
    static func call(_ url: WebURL, accessToken: String, _ transport: OutboundTransport) -> OutboundCall {
        transport.call(
            "GET", url,
            headers: [
                (name: "Accept", value: "application/json"), (name: "Authorization", value: "Bearer \(accessToken)"),
            ],
            maximumBytes: 1 << 18)
    }

    /// Parses the response.
    static func read(_ result: OutboundResult) throws(ProviderFailure) -> JSONNode {
        switch result {
        case .failed(let failure, _): throw ProviderFailure(failure, "userinfo")
        case .response(let response):
            guard response.status == 200 else { throw ProviderFailure(response, "userinfo") }
            guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 32), node.members != nil else {
                throw .answer("userinfo: no JSON object")
            }
            return node
        }
    }

    /// The claims of an ID token with those that userinfo adds.
    static func join(_ claims: JSONNode, _ more: JSONNode, subject: String) throws(ProviderFailure) -> JSONNode {
        // Section 5.3.2: otherwise a man in the middle could substitute another user's claims.
        guard more["sub"]?.string?.isExactly(subject) == true else { throw .answer("userinfo: sub of another user") }
        // Signed claims take precedence. `email_verified` must come from the same source as the address it describes.
        let (email, verification) = (ProviderRules.emailClaim, ProviderRules.verificationClaim)
        let isSigned = claims[email] != nil
        let isSame = claims[email]?.string.flatMap { more[email]?.string?.isExactly($0) } ?? false
        let members = (claims.members ?? []).filter { isSigned || !$0.name.isExactly(verification) }
        let names = Set(members.lazy.map { ExactText($0.name) })
        let further = (more.members ?? []).filter { member in
            if member.name.isExactly(verification), isSigned, !isSame { return false }
            return !names.contains(ExactText(member.name))
        }
        return JSONNode(.object(members + further))
    }

    /// The claims of a provider without ID tokens, with `sub` set to the user's id there. Ids are strings or numbers.
    static func plain(_ claims: JSONNode, subjectAttribute: String) throws(ProviderFailure) -> (String, JSONNode) {
        let claim = claims[subjectAttribute]
        guard let subject = claim?.string ?? claim?.integer.map({ String($0) }), IDTokenTerms.isSubject(subject) else {
            throw .answer("userinfo: \(subjectAttribute)")
        }
        let members = (claims.members ?? []).filter { !$0.name.isExactly("sub") }
        return (subject, JSONNode(.object(members + [JSONMember(name: "sub", node: JSONNode(.string(subject)))])))
    }
}

import Bytes
import Outbound

/// What an authorization server has said to a request for a token, read strictly (RFC 6749 sections 5.1 and 5.2).
package enum TokenReply: Sendable {
    /// A bearer token and what came with it.
    package struct Granted: Sendable {
        package let value: String
        /// Nil where the server does not say.
        package let lifetimeSeconds: Int64?
        package let refresh: String?
        /// The whole reply.
        package let members: JSONNode
    }

    case granted(Granted)
    /// It refuses with one of the codes of RFC 6749 section 5.2 or their like.
    case refused(code: String)
    /// A success that lacks a member, or has one of another shape than it should be.
    case malformed
    /// Neither: the server is overloaded, or says nothing that makes sense.
    case other(OutboundResponse)
    case failed(OutboundFailure)

    package init(_ result: OutboundResult) {
        switch result {
        case .failed(let failure): self = .failed(failure)
        case .response(let response) where response.status == 200:
            self = Granted(response).map { .granted($0) } ?? .malformed
        case .response(let response):
            // RFC 6585 section 4: too many requests is about their number.
            guard (400..<500).contains(response.status), response.status != 429, let code = TokenReply.code(response)
            else {
                self = .other(response)
                return
            }
            self = .refused(code: code)
        }
    }

    private static func code(_ response: OutboundResponse) -> String? {
        let node = try? JSONNode.parse(response.body.span, maximumDepth: 16)
        return node?["error"]?.string.flatMap(code(_:))
    }

    /// NQSCHAR, and no longer than a code has reason to be: it goes into the log. Nil for anything else.
    static func code(_ text: String) -> String? {
        let isFit =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != ASCII.quote && $0 != ASCII.backslash }
        return isFit ? text : nil
    }
}

extension TokenReply.Granted {
    fileprivate init?(_ response: OutboundResponse) {
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let value = node["access_token"]?.string, Self.isFit(value),
            let type = node["token_type"]?.string, type.lowercased().utf8.elementsEqual("bearer".utf8)
        else { return nil }
        var lifetime: Int64?
        if let member = node["expires_in"] {
            guard let seconds = Lifetime.seconds(member) else { return nil }
            lifetime = seconds
        }
        var refresh: String?
        if let member = node["refresh_token"] {
            guard let text = member.string, Self.isFit(text) else { return nil }
            refresh = text
        }
        self.init(value: value, lifetimeSeconds: lifetime, refresh: refresh, members: node)
    }

    private static func isFit(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

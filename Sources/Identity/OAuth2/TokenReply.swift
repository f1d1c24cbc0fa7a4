import Bytes
import Outbound

/// A parsed response to a token request (RFC 6749 sections 5.1 and 5.2). Members that are null count as absent, and a token
/// without a type is a bearer token, since some servers answer so.
package enum TokenReply: Sendable {
    /// A bearer token and its parameters.
    package struct Granted: Sendable {
        package let value: String
        /// Nil if not stated.
        package let lifetimeSeconds: Int64?
        package let refresh: String?
        /// The complete response object.
        package let members: JSONNode
    }

    case granted(Granted)
    /// An error with a code as in RFC 6749 section 5.2.
    case refused(code: String)
    /// A success with a missing or malformed member.
    case malformed
    /// Neither: the server is overloaded, or its response is unusable.
    case other(OutboundResponse)
    case failed(OutboundFailure)

    /// - Parameter allowsOthers: whether a token that is no access token counts too (RFC 8693 section 2.2.1).
    package init(_ result: OutboundResult, allowsOthers: Bool = false) {
        switch result {
        case .failed(let failure, _): self = .failed(failure)
        case .response(let response) where response.status == 200:
            self = Granted(response, allowsOthers).map { .granted($0) } ?? .malformed
        case .response(let response):
            // RFC 6585 section 4: 429 concerns the request rate, not the request.
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

    /// Characters as in NQSCHAR, of limited length since the code is logged. Nil for other text.
    static func code(_ text: String) -> String? {
        let isFit =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != ASCII.quote && $0 != ASCII.backslash }
        return isFit ? text : nil
    }
}

extension TokenReply.Granted {
    fileprivate init?(_ response: OutboundResponse, _ allowsOthers: Bool) {
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let value = node["access_token"]?.string, Self.isFit(value)
        else { return nil }
        func stated(_ name: String) -> JSONNode? { node[name].flatMap { $0.isNull ? nil : $0 } }
        if let type = stated("token_type") {
            let name = type.string?.lowercased() ?? ""
            guard name.isExactly("bearer") || allowsOthers && name.isExactly("n_a") else { return nil }
        }
        var lifetime: Int64?
        if let member = stated("expires_in") {
            guard let seconds = Lifetime.ofToken(member) else { return nil }
            lifetime = seconds
        }
        var refresh: String?
        if let member = stated("refresh_token") {
            guard let text = member.string, Self.isFit(text) else { return nil }
            refresh = text
        }
        self.init(value: value, lifetimeSeconds: lifetime, refresh: refresh, members: node)
    }

    private static func isFit(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

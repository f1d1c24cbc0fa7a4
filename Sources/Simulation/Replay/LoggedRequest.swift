import Bytes
import HTTP
import Identity
import Model
import Policy

/// A request of an access log, as far as a decision by other rules needs it.
package struct LoggedRequest: Sendable {
    package let method: String
    package let path: String
    /// As it was decided: whether it was let in, with the status and the reason.
    package let isAdmitted: Bool
    package let status: Int
    package let reason: String
    package let route: String?
    /// For people and counts.
    package let caller: String
    let description: RequestDescription
    /// Nil for a request without a credential.
    let known: KnownCaller?
    private let digests: [String: [String]]

    /// Why a line is not decided again.
    package enum Omission: String, Error, Sendable, CaseIterable {
        case broken = "is no line of an access log"
        case endpoint = "was answered by an endpoint of the gateway's own"
        case credential = "was refused for its credential itself"
        case state = "was refused for a rate, a failure or other state"
        case method = "does not tell its method"
        case caller = "does not tell its caller: \"log.fields\" lacks \"replay\""
    }

    /// Reads a line.
    package init(line: [UInt8]) throws(Omission) {
        guard let node = try? JSONNode.parse(line.span), let method = node["method"]?.string,
            let path = node["path"]?.string, path.utf8.first == ASCII.slash, let decision = node["decision"]?.string,
            let reason = node["reason"]?.string, let status = node["status"]?.integer
        else { throw .broken }
        // The gateway writes no others, and they would become another request.
        let host = node["host"]?.string ?? ""
        guard [method, path, host].allSatisfy({ $0.utf8.allSatisfy { $0 > ASCII.space && $0 < 127 } }),
            [node["subject"], node["issuer"], node["route"], node["reason"]].allSatisfy({
                $0?.string.map { $0 == $0.harmless } ?? true
            })
        else { throw .broken }
        if method == "extension" { throw .method }
        (self.method, self.path, self.reason, self.status) = (method, path, reason, Int(status))
        isAdmitted = decision == "allowed"
        route = node["route"]?.string
        if !isAdmitted {
            if decision == "answered", route == nil { throw .endpoint }
            if route == nil, !LoggedRequest.aboutTarget.contains(reason) { throw .endpoint }
            if !LoggedRequest.aboutRules.contains(reason), decision != "answered" {
                throw node["subject"] == nil && status == 401 ? .credential : .state
            }
        }
        var request = RequestDescription(method, path, host: node["host"]?.string)
        request.address = node["client_ip"]?.string.flatMap { IPAddress($0) }
        request.isEncrypted = node["tls"]?.bool ?? true
        description = request
        guard let subject = node["subject"]?.string else {
            (known, caller, digests) = (nil, "anonymous", [:])
            return
        }
        guard let kind = node["caller"]?.string.flatMap(Principal.Kind.init(rawValue:)),
            let credential = node["credential"]?.string, let issuer = node["issuer"]?.string
        else { throw .caller }
        var known = KnownCaller()
        (known.kind, known.method, known.subject, known.issuer) = (kind, credential, subject, issuer)
        (known.clientID, known.backendID) = (node["client_id"]?.string, node["backend_id"]?.string)
        known.level = node["auth_level"]?.integer.map(Int.init) ?? known.level
        known.roles = node["roles"]?.array?.compactMap(\.string) ?? []
        let scopes = node["scopes"]?.array?.compactMap(\.string) ?? []
        if !scopes.isEmpty { known.claims = .object([("scope", .text(scopes.joined(separator: " ")))]) }
        digests = Dictionary(
            (node["claims"]?.members ?? []).map { ($0.name, $0.node.array?.compactMap(\.string) ?? []) }
        ) { first, _ in first }
        caller = "\(kind.rawValue) of \(issuer)"
        self.known = known
    }

    /// Refusals where no route is.
    private static let aboutTarget: Set<String> = [Reason.noRoute.code]

    /// Refusals by rules that a described request can meet or not.
    private static let aboutRules = Set(
        [
            Reason.noRoute, .methodNotAllowed, .missingCredential, .loginRequired, .roleRequired, .scopeRequired,
            .claimRequired, .addressNotAllowed, .clientNotAllowed, .applicationMismatch, .issuerNotAllowed,
            .wrongScheme,
            .wrongWebgate, .authenticatorNotListed, .stepUpRequired, .socialLoginRequired, .insufficientScope,
        ].map(\.code))

    /// The caller with values of claims in place of their digests.
    /// - Parameter values: by path, those that rules compare with.
    func holder(knowing values: [String: [JSONNode]]) -> KnownCaller? {
        guard var caller = known else { return nil }
        for (text, digests) in digests {
            guard let path = try? ClaimPath(text) else { continue }
            let found = digests.map { digest in
                values[text]?.first { LoggedClaims.digest(of: $0) == digest } ?? .text("unknown \(digest)")
            }
            let value = found.count == 1 ? found[0] : JSONNode(.array(found))
            caller.claims = path.setting(value, in: caller.claims)
        }
        return caller
    }

    /// Whether the log tells what a caller has at a path.
    func tells(_ path: ClaimPath) -> Bool { digests[path.text] != nil }
}

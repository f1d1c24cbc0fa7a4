import Bytes
import HTTP
import Identity
import JOSE
import Model

/// What was compared when a request was refused, for `explain`, the access log and `portcullis why`. Computed after the
/// refusal, from the same request and rules: requests that are admitted pay nothing for it.
package struct RefusalEvidence {
    let policy: PolicySnapshot

    package init(_ policy: PolicySnapshot) { self.policy = policy }

    /// - Parameters:
    ///   - route: nil for endpoints, and where none matched.
    ///   - principal: the verified caller; nil if the credential was refused, or there is none.
    ///   - path: the canonical path.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - now: seconds since 1970.
    package func evidence(
        for reason: Reason, on route: Route?, _ principal: Principal?, path: Span<UInt8>, bytes: Span<UInt8>,
        head: RequestHead, headers: HeaderTable, from address: IPAddress? = nil, now: Int64
    ) -> Evidence {
        if reason.token.isOfProof {
            return proofEvidence(for: reason, principal, bytes: bytes, head: head, headers: headers, now: now)
        }
        if principal == nil, let checks = reason.checks {
            switch presented(on: route, bytes, head, headers) {
            case .nothing: return .none
            case .token(let place): return evidence(on: bytes.slice(place), checks, now: now)
            case .own(let kind, let place):
                return route?.authenticators?.judge(of: kind)?.evidence(on: bytes.slice(place)) ?? .none
            }
        }
        let lines: [String]
        switch reason {
        case .methodNotAllowed:
            guard let allowed = route?.allowedMethodsText else { return .none }
            return Evidence(bytes: allowed.count) { ["allowed: \(String(decoding: allowed, as: UTF8.self))"] }
        case .addressNotAllowed:
            guard let rule = route?.entry.options.addresses else { return .none }
            return Evidence(bytes: rule.bytes) { rule.evidence(on: address) }
        case .clientCertificateNotAllowed:
            let patterns = route?.certificateRule?.patterns.map(\.description) ?? []
            lines = ["accepted certificates: \(patterns.joined(separator: " or "))"]
        case .ambiguousPath:
            let conflict = route.flatMap {
                ReadingConflict.find(policy, $0, path: path, bytes: bytes, head: head, headers: headers)
            }
            lines = [conflict?.text ?? RequestPath.ambiguity(policy, bytes: bytes, head: head, headers: headers)]
        case .corsDenied, .corsMalformed:
            let origin = headers.value(.origin).map { [UInt8](copying: bytes.slice($0)) }
            return Evidence(bytes: origin?.count ?? 0) {
                ["Origin \(origin.map { Evidence.quoted(String(decoding: $0, as: UTF8.self)) } ?? "none")"]
            }
        case .backendMismatch:
            let named = RefusalEvidence.text(headers.value(.backendID), bytes)
            lines = ["\(HeaderToken.backendID.name) \(named)", RefusalEvidence.client(of: principal)]
        case .apiKeyUnknown, .apiKeyExpired:
            lines =
                route.map {
                    policy.consumerKeys.evidence(on: $0, bytes: bytes, head: head, headers: headers, now: now)
                } ?? []
        case .roleRequired:
            guard let route else { return .none }
            return missingRoles(route.requirement(for: head.method, bytes.slice(head.methodText)), principal)
        default:
            guard let route else { return .none }
            lines = lacking(reason, on: route, principal, path: path, now: now)
        }
        return Evidence(lines)
    }

    /// The evidence about a bearer token that was refused on any route.
    package func evidence(onToken token: Span<UInt8>, for reason: Reason, now: Int64) -> Evidence {
        guard let checks = reason.checks else { return .none }
        return evidence(on: token, checks, now: now)
    }

    /// The same of a token that is none of the form that is read.
    package func evidence(onToken token: Span<UInt8>, for rejection: TokenRejection, now: Int64) -> Evidence {
        policy.verifier.evidence(on: token, TokenEvidence.checks(of: rejection), now: now)
    }

    private func evidence(on token: Span<UInt8>, _ checks: [TokenEvidence.Check], now: Int64) -> Evidence {
        if APIKey.isMarked(token) { return .none }
        if let told = policy.introspected.evidence(on: token, checks, now: now) { return told }
        return policy.verifier.evidence(on: token, checks, now: now)
    }

    // MARK: Rights

    func missingRoles(_ requirement: RoleRequirement, _ principal: Principal?) -> Evidence {
        let missing = MissingRoles(
            any: requirement.any.map(policy.roles.names(of:)), all: policy.roles.names(of: requirement.all),
            none: policy.roles.names(of: requirement.none))
        let (held, isLimited) = (principal?.roleNames, principal?.unlimited != nil)
        func size(_ names: [String]?) -> Int {
            names?.reduce(0) { $0 + MemoryLayout<String>.stride + $1.utf8.count } ?? 0
        }
        return Evidence(bytes: size(missing.any) + size(missing.all) + size(missing.none) + size(held)) {
            missing.lines(held: held) + Evidence.held("roles", held)
                + (isLimited
                    ? ["the client has registered itself: other roles need \"registeredClients\" of the route"] : [])
        }
    }

    /// What a caller lacks on a route besides roles.
    private func lacking(
        _ reason: Reason, on route: Route, _ principal: Principal?, path: Span<UInt8>, now: Int64
    ) -> [String] {
        switch reason {
        case .stepUpRequired:
            return ["missing: level \(route.level)"] + (principal.map { ["held: level \($0.level)"] } ?? [])
        case .scopeRequired, .claimRequired, .issuerNotAllowed, .wrongAudience, .authenticationTooWeak,
            .authenticationTooOld, .tokenUnbound:
            return policy.requirements(of: route, missing: principal, path: path, now: now)
        case .wrongWebgate:
            return [
                "webgate \(RefusalEvidence.text(principal?.webgateBytes))",
                "of the route: \(route.webgate?.name ?? "none")",
            ]
        case .clientNotAllowed:
            let held = principal?.backendBytes ?? []
            let shown = held.isEmpty ? "none" : Evidence.quoted(client(held))
            return ["client of the credential \(shown), accepted \(Evidence.list(route.clients.map(client)))"]
        case .applicationMismatch where principal != nil:
            return ["application \(RefusalEvidence.text(principal?.applicationBytes))"]
        case .loginRequired, .socialLoginRequired:
            return principal.map { ["the caller is a \($0.kind.rawValue) by \($0.method.rawValue)"] } ?? []
        case .authenticatorNotListed:
            let accepted = route.entry.options.authenticators?.map { entry in
                entry.issuer.map { "\(entry.kind.name):\($0)" } ?? entry.kind.name
            }
            let shown = principal.map {
                "credential by \($0.method.rawValue) of issuer \(Evidence.quoted($0.issuer)), "
            }
            return ["\(shown ?? "")accepted: \(accepted?.joined(separator: ", ") ?? "none")"]
        default: return []
        }
    }

    /// What the configuration calls the client with this id.
    private func client(_ id: [UInt8]) -> String {
        policy.passwords.clients.client(id: id.span)?.reference ?? String(decoding: id, as: UTF8.self)
    }

    private static func client(of principal: Principal?) -> String {
        "backend of the credential \(principal?.backendID.map(Evidence.quoted) ?? "none")"
    }

    private static func text(_ bytes: Span<UInt8>) -> String { Evidence.quoted(String(copying: bytes)) }

    /// The value of a field; "none" without it.
    private static func text(_ value: ByteRange?, _ bytes: Span<UInt8>) -> String {
        guard let value else { return "none" }
        return text(bytes.slice(value))
    }

    private static func text(_ bytes: [UInt8]?) -> String {
        guard let bytes, !bytes.isEmpty else { return "none" }
        return Evidence.quoted(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: Credentials

    private enum Presented {
        case nothing
        case token(ByteRange)
        /// A credential of a listed kind that has a scheme of its own.
        case own(Authenticator.Kind, ByteRange)
    }

    /// The signed credential of a request, which was refused.
    private func presented(
        on route: Route?, _ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable
    ) -> Presented {
        guard headers.occurrences(.authorization) <= 1 else { return .nothing }
        if let sources = route?.tokenSources {
            switch sources.find(bytes, head, headers) {
            case .several: return .nothing
            case .token(let place, .own(let kind)), .pair(_, (let place, .own(let kind))): return .own(kind, place)
            // Beside a key, the token is in `Authorization`.
            case .token(let place, let issuers) where issuers.takesKey(bytes.slice(place)): break
            case .token(let place, _), .pair(_, (let place, _)): return .token(place)
            case .nothing: break
            }
        }
        guard let field = headers.value(.authorization) else {
            return (route?.tokenSources?.cookie(bytes, headers)?.token).map { .token($0) } ?? .nothing
        }
        let credential = Credential(bytes.slice(field))
        let place = ByteRange(
            start: Int(field.start) + Int(credential.rest.start), count: Int(credential.rest.count))
        return switch credential.scheme {
        case .token, .dpop: .token(place)
        case .basic: .nothing
        case .other:
            route?.authenticators?.kind(ofScheme: bytes.slice(field).slice(credential.name)).map { .own($0, place) }
                ?? .nothing
        }
    }

    /// What a proof of possession says, and of which request it came with.
    private func proofEvidence(
        for reason: Reason, _ principal: Principal?, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable,
        now: Int64
    ) -> Evidence {
        guard headers.occurrences(.dpop) == 1, let field = headers.value(.dpop),
            let proof = try? PossessionProof(bytes.slice(field))
        else { return .none }
        switch reason {
        case .dpopRequestWrong:
            let (method, host) = (bytes.slice(head.methodText), bytes.slice(head.authority))
            return Evidence([
                "htm \(Evidence.quoted(proof.method)), htu \(Evidence.quoted(proof.url))",
                "the request: \(RefusalEvidence.text(method)) at host \(RefusalEvidence.text(host))",
            ])
        case .dpopTimeWrong:
            let age = now - proof.issuedAt
            return Evidence(["iat is \(age < 0 ? "\(-age) s ahead" : "\(age) s ago") (\(proof.issuedAt))"])
        case .dpopKeyWrong:
            func text(_ digest: [UInt8]?) -> String {
                digest.map { String(decoding: Base64.encode($0.span, .url), as: UTF8.self) } ?? "none"
            }
            return Evidence(["key \(text(proof.thumbprint)), the token's \(text(principal?.binding?.key))"])
        default: return .none
        }
    }
}

extension Reason {
    /// The checks of a token that this reason may come from; nil for others.
    fileprivate var checks: [TokenEvidence.Check]? {
        switch self {
        case .malformedToken: [.form]
        case .unknownIssuer, .issuerNotAllowed: [.issuer]
        case .wrongAudience: [.audience]
        case .tokenExpired: [.expiry]
        case .tokenNotYetValid: [.start]
        case .wrongTokenType: [.type]
        case .wrongTokenClient: [.client]
        case .unsupportedAlgorithm, .tokenUndecryptable, .tokenUnsigned, .tokenUnencrypted: [.algorithm]
        case .unknownKey, .badSignature, .keysUnavailable, .tokenChainUntrusted, .tokenChainNameWrong: [.key]
        case .proofRequired, .tokenUnbound: [.binding]
        case .invalidToken: [.lifetime]
        default: nil
        }
    }
}

extension AddressRule {
    fileprivate var bytes: Int { (allowed.count + denied.count) * MemoryLayout<IPAddressRange>.stride }

    fileprivate func evidence(on address: IPAddress?) -> [String] {
        func list(_ word: String, _ ranges: [IPAddressRange]) -> [String] {
            ranges.isEmpty ? [] : ["\(word): \(ranges.prefix(16).map { "\($0)" }.joined(separator: ", "))"]
        }
        return ["address \(address?.description ?? "none")"] + list("allowed", allowed) + list("denied", denied)
    }
}

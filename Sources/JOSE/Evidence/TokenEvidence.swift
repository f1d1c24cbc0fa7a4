import Bytes
import Model

/// The values of a token that its checks compare, for operators. Nothing of it is verified.
package struct TokenEvidence {
    /// A check, by the values that it compares.
    package enum Check: Sendable {
        case form, issuer, audience, expiry, start, lifetime, type, client, algorithm, key, binding
    }

    private let length: Int
    private let parts: Int
    private let header: JSONNode?
    private let claims: JSONNode?

    package init(_ token: Span<UInt8>) {
        length = token.count
        guard length <= CompactJWS.maximumLength else {
            (parts, header, claims) = (0, nil, nil)
            return
        }
        let pieces = [UInt8](copying: token).split(separator: ASCII.dot, omittingEmptySubsequences: false)
        parts = pieces.count
        func object(_ index: Int) -> JSONNode? {
            guard pieces.indices.contains(index), let json = Base64.decode(Array(pieces[index]).span, .url),
                let node = try? JSONNode.parse(json.span, maximumDepth: 32), node.members != nil
            else { return nil }
            return node
        }
        header = object(0)
        claims = object(1)
    }

    /// The same of claims without a token, such as those of an introspection.
    package init(claims: JSONNode) {
        (length, parts, header) = (0, 0, nil)
        self.claims = claims
    }

    /// `iss`.
    package var issuer: String? { claims?["iss"]?.string }

    /// What a check has compared.
    /// - Parameters:
    ///   - rules: what was expected; nil if the token belongs to no issuer.
    ///   - now: seconds since 1970.
    package func lines(_ check: Check, _ rules: TokenRules?, now: Int64) -> [String] {
        switch check {
        case .form: return form
        case .algorithm: return algorithm(rules)
        case .key: return key(rules)
        case .issuer, .audience, .expiry, .start, .lifetime, .type, .client, .binding: break
        }
        guard claims != nil else { return parts == 5 ? ["its content is encrypted"] : form }
        switch check {
        case .issuer: return ["iss \(text("iss"))"]
        case .audience: return ["aud \(text("aud"))" + accepted(rules?.audiences)]
        case .expiry: return expiry(rules, now)
        case .start: return start(rules, now)
        case .lifetime: return lifetime(rules, now)
        case .type: return type(rules)
        case .client: return client(rules)
        case .binding: return ["cnf of \(Evidence.list(claims?["cnf"]?.members?.map(\.name) ?? []))"]
        case .form, .algorithm, .key: return []
        }
    }

    // MARK: Header

    private var form: [String] {
        if length > CompactJWS.maximumLength {
            return ["\(length) bytes, at most \(CompactJWS.maximumLength) are read"]
        }
        let text = "a token of \(length) bytes, with \(parts) part\(parts == 1 ? "" : "s") separated by dots"
        guard parts == 3 else { return ["\(text); a JWT has 3"] }
        var lines = [text]
        if header == nil { lines.append("the header is no JSON object in base64url") }
        if claims == nil { lines.append("the claims are no JSON object in base64url") }
        return lines
    }

    private func algorithm(_ rules: TokenRules?) -> [String] {
        var line = "alg \(text("alg", of: header))"
        if header?["enc"] != nil { line += ", enc \(text("enc", of: header))" }
        for name in ["crit", "b64", "zip"] where header?[name] != nil { line += ", \(name) is set" }
        if header?["kid"] != nil { line += ", kid \(text("kid", of: header))" }
        return [line + accepted(rules?.algorithms)]
    }

    private func key(_ rules: TokenRules?) -> [String] {
        let line = "kid \(text("kid", of: header)), alg \(text("alg", of: header))"
        guard let keys = rules?.keys else { return [line] }
        return ["\(line), keys \(keys.isEmpty ? "none" : keys.prefix(16).joined(separator: ", "))"]
    }

    // MARK: Claims

    private func expiry(_ rules: TokenRules?, _ now: Int64) -> [String] {
        guard let end = time("exp") else { return ["exp \(text("exp"))"] }
        let age = end <= now ? "expired \(now - end) s ago" : "expires in \(end - now) s"
        return ["\(age) (exp \(end))" + tolerance(rules?.expirySkew)]
    }

    private func start(_ rules: TokenRules?, _ now: Int64) -> [String] {
        ["nbf", "iat"].compactMap { name in
            guard let start = time(name), start > now else { return nil }
            return "\(name) is \(start - now) s ahead (\(start))" + tolerance(rules?.skew)
        }
    }

    private func lifetime(_ rules: TokenRules?, _ now: Int64) -> [String] {
        guard let end = time("exp") else { return ["exp \(text("exp"))"] }
        guard let longest = rules?.longest else { return [] }
        return ["lifetime \(end - (time("iat") ?? now)) s, at most \(longest) s"]
    }

    private func type(_ rules: TokenRules?) -> [String] {
        var line = "typ \(text("typ", of: header))"
        for name in ["token_use", "token_type", "type", "typ"] where claims?[name] != nil {
            line += ", claim \(name) \(text(name))"
        }
        // Their values belong to one login.
        for name in ["events", "nonce", "at_hash", "c_hash", "s_hash"] where claims?[name] != nil {
            line += ", claim \(name)"
        }
        if claims?["azp"] != nil { line += ", azp \(text("azp"))" }
        return [line + accepted(rules?.types)]
    }

    private func client(_ rules: TokenRules?) -> [String] {
        let names = ["azp", "client_id", "cid", "appid"].filter { claims?[$0] != nil }
        let shown = names.map { "\($0) \(text($0))" }.joined(separator: ", ")
        return [(shown.isEmpty ? "no azp and no client_id" : shown) + accepted(rules?.clients)]
    }

    // MARK: Texts

    private func accepted(_ values: [String]?) -> String {
        values.map { ", accepted \(Evidence.list($0))" } ?? ""
    }

    private func tolerance(_ seconds: Int64?) -> String { seconds.map { ", tolerance \($0) s" } ?? "" }

    private func time(_ name: String) -> Int64? {
        guard let claim = claims?[name] else { return nil }
        // Far beyond any date, so that differences cannot overflow.
        let limit = Int64(1) << 53
        guard let seconds = claim.integer ?? claim.number.flatMap({ Int64(exactly: $0.rounded()) }) else { return nil }
        return (-limit...limit).contains(seconds) ? seconds : nil
    }

    private func text(_ name: String) -> String { text(name, of: claims) }

    private func text(_ name: String, of object: JSONNode?) -> String {
        guard let node = object?[name] else { return "none" }
        if let text = node.string { return Evidence.quoted(text) }
        if let elements = node.array { return Evidence.list(elements.map { $0.string ?? "(no text)" }) }
        return node.integer.map { "\($0)" } ?? "of a wrong type"
    }
}

/// What the checks of a token expect, for operators.
package struct TokenRules {
    package var audiences: [String]
    package var algorithms: [String]
    package var types: [String]
    package var clients: [String]?
    package var skew: Int64
    package var expirySkew: Int64
    package var longest: Int64?
    /// Names and algorithms of the keys; nil if they are not known.
    package var keys: [String]?

    package init(
        audiences: [String], algorithms: Set<SignatureAlgorithm>, purpose: TokenPurpose?, skew: Int64,
        expirySkew: Int64, longest: Int64? = nil, keys: KeySet? = nil
    ) {
        self.audiences = audiences
        self.algorithms = algorithms.map(\.rawValue).sorted()
        types = purpose?.acceptedTypes ?? []
        clients = purpose?.listedClients
        self.skew = skew
        self.expirySkew = expirySkew
        self.longest = longest
        self.keys = keys?.keys.map { key in
            "\(key.kid.map(Evidence.quoted) ?? "without kid")" + (key.algorithm.map { " (\($0.rawValue))" } ?? "")
        }
    }

    fileprivate init(_ issuer: TrustedIssuer, _ evidence: TokenEvidence, now: Int64) {
        var keys: KeySet?
        switch issuer.keys {
        case .fixed(let fixed): keys = fixed
        case .published(let source):
            let need = KeyNeed(keyID: nil, algorithm: .rs256)
            if case .ready(let known) = source.keysAtHand(for: need, now: now) { keys = known }
        case .certified: break
        }
        self.init(
            audiences: issuer.audiences, algorithms: issuer.algorithms.filter(issuer.allows), purpose: issuer.purpose,
            skew: issuer.clockSkewSeconds, expirySkew: issuer.own ? 0 : issuer.clockSkewSeconds,
            longest: issuer.maximumLifetimeSeconds, keys: keys)
    }
}

extension JWTVerifier {
    /// Entries of one issuer that are shown.
    private static let mostEntries = 4

    /// What the checks of a token have compared, by the rules of its issuer.
    package func evidence(on token: Span<UInt8>, _ checks: [TokenEvidence.Check], now: Int64) -> Evidence {
        let evidence = TokenEvidence(token)
        if checks.contains(.issuer) {
            let known = Set(issuers.map(\.issuer)).sorted()
            return Evidence(evidence.lines(.issuer, nil, now: now).map { "\($0), known \(Evidence.list(known))" })
        }
        let entries = issuers.filter { entry in evidence.issuer.map(entry.issuer.isExactly) ?? false }
        guard !entries.isEmpty else {
            return Evidence(checks.flatMap { evidence.lines($0, nil, now: now) })
        }
        var lines: [String] = []
        for entry in entries.prefix(JWTVerifier.mostEntries) {
            let rules = TokenRules(entry, evidence, now: now)
            let own = checks.flatMap { evidence.lines($0, rules, now: now) }
            if !own.isEmpty { lines += ["issuer \(Evidence.quoted(entry.name))"] + own }
        }
        return Evidence(lines)
    }
}

extension TokenEvidence {
    /// The checks of a token that a rejection comes from.
    package static func checks(of rejection: TokenRejection) -> [Check] {
        switch rejection {
        case .tooLarge, .malformed: [.form]
        case .encrypted, .undecryptable, .unsigned, .unencrypted, .criticalHeader, .unsupportedAlgorithm,
            .algorithmMismatch:
            [.algorithm]
        case .unknownIssuer: [.issuer]
        case .unknownKey, .badSignature, .untrustedChain, .chainNameMismatch: [.key]
        case .expired: [.expiry]
        case .notYetValid, .issuedInFuture: [.start]
        case .missingExpiry, .lifetimeTooLong: [.lifetime]
        case .wrongAudience: [.audience]
        case .wrongType: [.type]
        case .wrongClient: [.client]
        case .proofRequired: [.binding]
        }
    }
}

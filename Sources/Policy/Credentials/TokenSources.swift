import Bytes
import HTTP
import Identity
import Model
import Outbound

/// Where requests have tokens, if not in `Authorization: Bearer` alone.
package final class TokenSources: Sendable {
    /// Which issuers' tokens count at a place.
    enum AcceptedIssuers: Sendable {
        case all
        case only([String])
        case allBut([String])
        /// A place of credentials of a kind with a scheme of its own, at which no token counts.
        case own(Authenticator.Kind)

        func contains(_ issuer: String) -> Bool {
            switch self {
            case .all: true
            case .only(let names): names.contains(where: issuer.isExactly)
            case .own: false
            case .allBut(let names): !names.contains(where: issuer.isExactly)
            }
        }

        /// Whether what stands at a place is an API key and no token: nothing else counts there, or it is marked as one.
        func takesKey(_ text: Span<UInt8>) -> Bool {
            if case .only(let names) = self, names.allSatisfy(Consumer.issuer.isExactly) { return true }
            return APIKey.isMarked(text)
        }
    }

    private struct Place: Sendable {
        enum Kind: Sendable {
            case header(HeaderToken, name: [UInt8], scheme: [UInt8])
            case cookie([UInt8])
            case query([UInt8])
        }

        let kind: Kind
        let issuers: AcceptedIssuers
    }

    /// What a request has at the places.
    enum Found {
        case nothing
        case token(ByteRange, AcceptedIssuers)
        /// The API key of a consumer, and a token.
        case pair(key: (ByteRange, AcceptedIssuers), token: (ByteRange, AcceptedIssuers))
        /// Two of a kind, which two servers could tell apart in two ways.
        case several
    }

    /// Whose tokens count in `Authorization: Bearer`; nil if none do.
    let authorization: AcceptedIssuers?
    private let sources: [(source: TokenSource, issuers: AcceptedIssuers)]
    private let places: [Place]
    /// Cookies with tokens, which only count if there is no other credential.
    package let cookies: [[UInt8]]
    /// Parameters of the query with tokens.
    package let parameters: [[UInt8]]
    /// Names of header fields with tokens, as `FieldSkeleton` compares them.
    private let skeletons: [[UInt8]]

    /// - Parameter sources: with the issuers whose tokens count there.
    init(_ sources: [(source: TokenSource, issuers: AcceptedIssuers)]) {
        self.sources = sources
        authorization = sources.first { $0.source == .authorization }?.issuers
        let others = sources.filter { $0.source != .authorization }
        places = others.map { source, issuers in
            switch source {
            case .header(let name, let scheme):
                let name = Array(name.utf8)
                return Place(
                    kind: .header(HeaderToken.lookup(name.span), name: name, scheme: Array((scheme ?? "").utf8)),
                    issuers: issuers)
            case .cookie(let name): return Place(kind: .cookie(Array(name.utf8)), issuers: issuers)
            case .query(let name): return Place(kind: .query(Array(name.utf8)), issuers: issuers)
            }
        }
        cookies = others.compactMap { if case .cookie(let name) = $0.source { Array(name.utf8) } else { nil } }
        parameters = others.compactMap { if case .query(let name) = $0.source { Array(name.utf8) } else { nil } }
        skeletons = others.compactMap {
            if case .header(let name, _) = $0.source { FieldSkeleton.of(name) } else { nil }
        }
    }

    /// The sources of a route whose list has header fields of its own.
    ///
    /// - Parameter tokens: nil for `Authorization: Bearer` alone.
    static func with(fieldsOf list: AuthenticatorChain?, _ tokens: TokenSources?) -> TokenSources? {
        let fields: [(source: TokenSource, issuers: AcceptedIssuers)] = (list?.entries ?? []).compactMap { listed in
            listed.entry.header.map { (.header($0, scheme: nil), .own(listed.entry.kind)) }
        }
        if fields.isEmpty { return tokens }
        return TokenSources((tokens?.sources ?? [(.authorization, .all)]) + fields)
    }

    /// Whether upstreams may take a field for one of those with tokens.
    package func isSource(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        let name = bytes.slice(field.name)
        for i in skeletons.indices {
            if FieldSkeleton.matches(name, skeletons[i]) { return true }
        }
        return false
    }

    /// The token in header fields and query.
    func find(_ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable) -> Found {
        var (found, key): ((ByteRange, AcceptedIssuers)?, (ByteRange, AcceptedIssuers)?) = (nil, nil)
        for place in places {
            var token: ByteRange?
            switch place.kind {
            case .header(let known, let name, let scheme):
                for i in 0..<headers.count {
                    let field = headers[i]
                    guard field.token == known, known != .other || equalIgnoringCase(name, bytes.slice(field.name)),
                        let value = TokenSources.token(field.value, scheme, bytes)
                    else { continue }
                    if token != nil { return .several }
                    token = value
                }
            case .query(let name):
                if let query = head.query, let parameter = QueryText.value(of: name, query, bytes) {
                    guard parameter.isOnly else { return .several }
                    token = parameter.value
                }
            case .cookie: continue
            }
            guard let token else { continue }
            let isKey = place.issuers.takesKey(bytes.slice(token))
            if (isKey ? key : found) != nil { return .several }
            if isKey { key = (token, place.issuers) } else { found = (token, place.issuers) }
        }
        if let key, let found { return .pair(key: key, token: found) }
        return (found ?? key).map { .token($0, $1) } ?? .nothing
    }

    /// Whether `Authorization` has a credential for the gateway: a bearer token has one only where those are looked for.
    func isCredential(_ field: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        if authorization != nil { return true }
        switch Credential(bytes.slice(field)).scheme {
        case .token, .dpop: return false
        case .basic, .other: return true
        }
    }

    /// Whether a token that was found stands in `Authorization` under the scheme of tokens with proofs, which may be a source
    /// of its own.
    static func isForProof(_ place: ByteRange, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard let field = headers.value(.authorization), field.range.contains(Int(place.start)) else { return false }
        return Credential(bytes.slice(field)).scheme == .dpop
    }

    /// Whether the credential of a request is in a cookie, if it has one.
    func isInCookie(_ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable) -> Bool {
        guard !cookies.isEmpty, case .nothing = find(bytes, head, headers) else { return false }
        return headers.value(.authorization).map { isCredential($0, bytes) } != true
    }

    /// The token in a cookie. Browsers send it with requests that other sites cause, too.
    func cookie(_ bytes: Span<UInt8>, _ headers: HeaderTable) -> (token: ByteRange, issuers: AcceptedIssuers)? {
        for place in places {
            if case .cookie(let name) = place.kind, let value = Cookies.value(of: name, headers, bytes) {
                return (value, place.issuers)
            }
        }
        return nil
    }

    /// The value without its scheme; nil if it has another one.
    private static func token(_ value: ByteRange, _ scheme: [UInt8], _ bytes: Span<UInt8>) -> ByteRange? {
        if scheme.isEmpty { return value }
        let text = bytes.slice(value)
        guard let (name, rest) = Credentials.split(text), equalIgnoringCase(scheme, text.slice(name)) else {
            return nil
        }
        return ByteRange(start: Int(value.start) + Int(rest.start), count: Int(rest.count))
    }
}

extension AuthenticationOutcome {
    /// The same, but for callers whose credential is of another issuer.
    func limited(to issuers: TokenSources.AcceptedIssuers) -> AuthenticationOutcome {
        if case .all = issuers { return self }
        switch self {
        case .principal(let principal):
            return issuers.contains(principal.issuer) ? self : .rejected(.issuerNotAllowed)
        case .resolve(let effect):
            return .resolve(
                effect.map { result in
                    result.flatMap { issuers.contains($0.issuer) ? .success($0) : .failure(.issuerNotAllowed) }
                })
        case .none, .rejected, .malformed: return self
        }
    }
}

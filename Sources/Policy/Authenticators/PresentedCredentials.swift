import Bytes
import HTTP
import Identity
import Model

/// What a request brings to a route with a list of authenticators. At most one credential is in its fields; a session
/// cookie and a certificate may come beside that.
struct PresentedCredentials {
    /// The credential in fields, query or cookies other than that of the session.
    enum InFields {
        case none
        /// - Parameters:
        ///   - isKey: whether it is an API key and no token.
        ///   - hasProof: whether it came under the scheme of tokens with proofs (RFC 9449 section 7.1).
        case token(ByteRange, TokenSources.AcceptedIssuers, isKey: Bool, hasProof: Bool = false)
        /// - Parameter isKey: whether an API key is in it.
        case basic(ByteRange, isKey: Bool)
        /// A packed SAML assertion.
        case assertion(ByteRange)
        /// One of a scheme without the credential.
        case malformed(Authenticator.Kind, Reason)
        case unsupported
    }

    let inFields: InFields
    let route: Route
    let headers: HeaderTable
    let address: IPAddress?
    let secure: Bool
    let certificate: PresentedCertificate?
    let now: Int64
    let cache: VerifiedTokenCache

    /// Whether an authenticator judges the credential in the fields.
    func isFor(_ kind: Authenticator.Kind) -> Bool {
        switch inFields {
        case .none, .unsupported: false
        case .token(_, _, let isKey, _): kind == (isKey ? .apiKey : .bearer)
        case .basic(_, isKey: true): kind == .apiKey
        case .assertion: kind == .saml
        case .basic, .malformed(.basic, _): kind == .basic || kind == .anonymousKey
        case .malformed(let own, _): kind == own
        }
    }

    /// The credential in the fields of a request; a reason where there are several.
    static func inFields(
        on route: Route, _ bytes: Span<UInt8>, _ head: RequestHead, _ headers: HeaderTable, _ keys: ConsumerKeys
    ) throws(Reason) -> InFields {
        // ISS-08
        guard headers.occurrences(.authorization) <= 1 else { throw .duplicateCredential }
        var field = headers.value(.authorization)
        if let sources = route.tokenSources {
            field = field.flatMap { sources.isCredential($0, bytes) ? $0 : nil }
            switch sources.find(bytes, head, headers) {
            case .several: throw .duplicateCredential
            case .token(let place, let issuers):
                if let field, !field.range.contains(Int(place.start)) { throw .duplicateCredential }
                if case .assertions = issuers { return .assertion(place) }
                if TokenSources.isForProof(place, headers, bytes) {
                    return .token(place, issuers, isKey: false, hasProof: true)
                }
                return token(place, issuers, bytes)
            case .nothing:
                if field == nil, let (place, issuers) = sources.cookie(bytes, headers) {
                    return token(place, issuers, bytes)
                }
            }
        }
        guard let field else { return .none }
        let value = bytes.slice(field)
        let credential = Credential(value)
        let place = ByteRange(
            start: Int(field.start) + Int(credential.rest.start), count: Int(credential.rest.count))
        switch credential.scheme {
        case .token:
            if place.isEmpty { return .malformed(.bearer, .malformedToken) }
            return token(place, route.tokenSources?.authorization ?? .all, bytes)
        case .dpop:
            if place.isEmpty { return .malformed(.bearer, .malformedToken) }
            return .token(place, route.tokenSources?.authorization ?? .all, isKey: false, hasProof: true)
        case .basic:
            if place.isEmpty { return .malformed(.basic, .malformedCredential) }
            return .basic(place, isKey: keys.key(inBasic: bytes.slice(place)) != nil)
        case .saml: return .assertion(place)
        case .other: return .unsupported
        }
    }

    private static func token(
        _ place: ByteRange, _ issuers: TokenSources.AcceptedIssuers, _ bytes: Span<UInt8>
    ) -> InFields {
        .token(place, issuers, isKey: issuers.areConsumers || APIKey.isMarked(bytes.slice(place)))
    }
}

extension TokenSources.AcceptedIssuers {
    /// Whether nothing but API keys counts at a place.
    fileprivate var areConsumers: Bool {
        if case .only(let names) = self { names.allSatisfy(Consumer.issuer.isExactly) } else { false }
    }
}

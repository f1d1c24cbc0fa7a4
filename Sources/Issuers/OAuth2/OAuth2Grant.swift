import Bytes
import Crypto
import Identity
import JOSE
import Model
import OAuthServer

/// The grant with which a token is requested.
enum OAuth2Grant: Sendable {
    /// RFC 6749 section 4.4: the gateway's own rights.
    case clientCredentials
    /// RFC 6749 section 4.3: an account of the gateway.
    case password(user: String, password: String)
    /// RFC 7523 section 2.1: an assertion by the gateway about the caller.
    case mintedAssertion(AssertionTerms)
    /// RFC 7523 section 2.1: the caller's own token.
    case callersAssertion
    /// RFC 7522 section 2.1: a SAML assertion by the gateway about the caller.
    case mintedSAML(AssertionMint, audience: String?)
    /// RFC 7522 section 2.1: the caller's own SAML assertion.
    case callersSAML
    /// RFC 8693: exchanges the caller's own token.
    case tokenExchange(ExchangeTerms)
    /// RFC 7523 section 2.1: an identity assertion (ID-JAG), which the identity provider gives for the caller's own token.
    case identityAssertion(OAuth2Issuer)

    /// Whether a refusal concerns the caller rather than the gateway.
    var isCallerBound: Bool {
        switch self {
        case .clientCredentials, .password: false
        case .mintedAssertion, .callersAssertion, .mintedSAML, .callersSAML, .tokenExchange, .identityAssertion: true
        }
    }

    /// Whether it sends the caller's own token.
    var dependsOnCredential: Bool {
        switch self {
        case .clientCredentials, .password, .mintedAssertion, .mintedSAML: false
        case .callersAssertion, .callersSAML, .tokenExchange, .identityAssertion: true
        }
    }

    var isSlow: Bool {
        switch self {
        case .mintedAssertion(let terms): terms.signer.key.isSlow
        case .mintedSAML, .callersSAML: true
        case .tokenExchange(let terms): terms.takesSAML
        case .clientCredentials, .password, .callersAssertion, .identityAssertion: false
        }
    }

    /// Whether the caller has no credential that the grant sends.
    func lacksCredential(_ request: IssueRequest) -> Bool {
        switch self {
        case .clientCredentials, .password, .mintedAssertion, .mintedSAML: false
        case .callersAssertion: request.credential.isEmpty
        case .callersSAML: request.assertion.isEmpty
        case .tokenExchange(let terms):
            terms.takesSAML ? request.assertion.isEmpty : request.credential(isIDToken: terms.takesIDToken).isEmpty
        case .identityAssertion(let provider): provider.lacksCredential(request)
        }
    }

    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let samlBearer = "urn:ietf:params:oauth:grant-type:saml2-bearer"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// The fields of the form, for a caller with the required token; but for an assertion that is fetched first.
    func form(
        _ request: IssueRequest, endpoint: WebURL, now: Int64
    ) throws(SAMLRejection) -> [(String, String)] {
        switch self {
        case .clientCredentials: return [("grant_type", "client_credentials")]
        case .password(let user, let password):
            return OAuth2Grant.passwordForm(user, password)
        case .mintedAssertion(let terms):
            let assertion = terms.assertion(about: request.principal, endpoint: endpoint, now: now)
            return [("grant_type", OAuth2Grant.jwtBearer), ("assertion", String(decoding: assertion, as: UTF8.self))]
        case .callersAssertion:
            let token = String(decoding: request.credential, as: UTF8.self)
            return [("grant_type", OAuth2Grant.jwtBearer), ("assertion", token)]
        case .mintedSAML(let mint, let audience):
            let place = endpoint.description
            let assertion = try mint.assertion(
                about: request.principal.subject, audience: audience ?? place, recipient: place, now: now)
            return [("grant_type", OAuth2Grant.samlBearer), ("assertion", OAuth2Grant.text(ofSAML: assertion))]
        case .callersSAML:
            return [("grant_type", OAuth2Grant.samlBearer), ("assertion", try OAuth2Grant.callersSAML(request))]
        case .tokenExchange(let terms):
            let token =
                terms.takesSAML
                ? try OAuth2Grant.callersSAML(request)
                : String(decoding: request.credential(isIDToken: terms.takesIDToken), as: UTF8.self)
            var form = [
                ("grant_type", OAuth2Grant.exchange), ("subject_token", token),
                ("subject_token_type", terms.subjectTokenType),
            ]
            if let type = terms.requestedTokenType { form.append(("requested_token_type", type)) }
            return form
        case .identityAssertion: return [("grant_type", OAuth2Grant.jwtBearer)]
        }
    }

    static func passwordForm(_ user: String, _ password: String) -> [(String, String)] {
        [("grant_type", "password"), ("username", user), ("password", password)]
    }

    /// The caller's assertion, which came packed (RFC 7522 section 2.1, RFC 8693 section 3).
    private static func callersSAML(_ request: IssueRequest) throws(SAMLRejection) -> String {
        text(ofSAML: try PackedAssertion.unpack(request.assertion))
    }

    private static func text(ofSAML assertion: [UInt8]) -> String {
        String(decoding: Base64.encode(assertion.span, .url), as: UTF8.self)
    }
}

/// Parameters of a token exchange (RFC 8693 section 2.1).
struct ExchangeTerms: Sendable {
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let identityAssertion = "urn:ietf:params:oauth:token-type:id-jag"

    private static let saml = "urn:ietf:params:oauth:token-type:saml2"

    var subjectTokenType = ExchangeTerms.accessToken
    /// Whether the caller's token is a SAML assertion.
    var takesSAML: Bool { subjectTokenType.isExactly(ExchangeTerms.saml) }
    /// Whether that of a login is the ID token.
    var takesIDToken: Bool { subjectTokenType.isExactly(ExchangeTerms.idToken) }
    var requestedTokenType: String?
}

/// Parameters of the gateway's assertions about callers (RFC 7523 section 3).
struct AssertionTerms: Sendable {
    let signer: JWTSigner
    let issuer: String
    /// Nil for the token endpoint itself.
    let audience: String?
    let lifetimeSeconds: Int64
    /// Additional claims, equal for all callers.
    let claims: [(name: String, value: String)]

    func assertion(about principal: Principal, endpoint: WebURL, now: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("sub", principal.subject)
        writer.member("aud", audience ?? endpoint.description)
        writer.member("iat", now)
        writer.member("exp", now + lifetimeSeconds)
        writer.member("jti", AccessTokenMinter.randomID())
        for claim in claims { writer.member(claim.name, claim.value) }
        writer.endObject()
        return signer.sign(claims: writer.bytes)
    }
}

import Bytes
import Crypto
import Model
import Outbound

/// An external identity provider to which browsers are redirected for login (SSO-07, RP-01). `rules` map its statements
/// about a user to a user of the gateway.
package protocol BrowserIdentityProvider: AnyObject, Sendable {
    /// Name in the configuration.
    var name: String { get }
    var rules: ProviderRules { get }

    /// Starts a login: where to redirect the browser.
    /// - Parameter now: seconds since 1970, as everywhere here.
    func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>>

    /// Completes a login with the browser's callback.
    /// - Parameter redirectURI: the one that the login was started with.
    func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>>

    /// What a browser sends to the provider to log out there; nil where it does not log out.
    func logout(_ request: ProviderLogoutRequest, now: Int64) -> Effect<ProviderLogoutForm?>

    /// Whether a token of a login is revoked when the login ends here.
    var revokesAtLogout: Bool { get }

    /// Revokes a token of a login (RFC 7009).
    /// - Returns: nil for success.
    func revoke(_ tokens: ProvidedTokens, now: Int64) -> Effect<ProviderFailure?>

    /// Renews the tokens of a login with their refresh token. `denied` and `codeRefused` say that the login is over.
    func renew(_ tokens: ProvidedTokens, now: Int64) -> Effect<Result<ProvidedTokens, ProviderFailure>>

    /// How long that takes at most, in seconds.
    var longestRenewalSeconds: Int64 { get }

    /// Reads a back-channel notice of logins that ended at the provider.
    func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>>

    /// Reads a notice that a page of the provider has sent by the browser (OpenID Connect Front-Channel Logout 1.0 section 2):
    /// `iss` and `sid` together, which no other page knows. Nil for another one.
    func logoutNotice(issuer: String, sessionID: String, now: Int64) -> LogoutNotice?

    /// The fields of the form by which answers are posted, where they do not arrive in the query. `read` and `isAnswer`
    /// then replace `finish`.
    var answerFields: AnswerFields? { get }

    /// Verifies a posted form: the user, and the request that it answers.
    func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>>

    /// Whether that request belongs to a login.
    func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool

    /// A document about the gateway for the provider; nil for protocols without one.
    var metadata: (contentType: String, document: [UInt8])? { get }
}

extension BrowserIdentityProvider {
    package var answerFields: AnswerFields? { nil }
    package var answersByForm: Bool { answerFields != nil }

    package func logoutNotice(issuer: String, sessionID: String, now: Int64) -> LogoutNotice? { nil }

    package var revokesAtLogout: Bool { false }

    package func revoke(_ tokens: ProvidedTokens, now: Int64) -> Effect<ProviderFailure?> { .done(nil) }

    package func renew(_ tokens: ProvidedTokens, now: Int64) -> Effect<Result<ProvidedTokens, ProviderFailure>> {
        .done(.failure(.denied("renewal: the provider gives no tokens")))
    }

    package var longestRenewalSeconds: Int64 { 0 }

    package func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>> {
        .done(.failure(.malformedCallback))
    }

    package func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool { false }

    package var metadata: (contentType: String, document: [UInt8])? { nil }
}

/// Secrets of a login in progress at a provider, known only to the gateway.
package struct LoginSecrets: Sendable, Equatable {
    /// The code verifier of RFC 7636.
    package let verifier: String
    /// Returned in the provider's token (OpenID Connect Core section 3.1.2.1).
    package let nonce: String

    package init(verifier: String, nonce: String) {
        self.verifier = verifier
        self.nonce = nonce
    }

    /// Generates 256 and 128 random bits.
    package init() { self.init(verifier: SecureRandom.text(32), nonce: SecureRandom.text(16)) }

    /// The challenge of RFC 7636 section 4.2, method `S256`.
    package var challenge: String { LoginSecrets.challenge(of: verifier) }

    package static func challenge(of verifier: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(verifier.utf8).span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }
}

/// A login that is about to be sent to a provider.
package struct LoginStart: Sendable {
    /// Time limit of a login at a provider, in seconds.
    package static let lifetimeSeconds: Int64 = 600

    /// Returned unchanged by the browser; of the URL-safe alphabet.
    package let state: String
    package let secrets: LoginSecrets
    /// Where the provider redirects the browser afterwards.
    package let redirectURI: String
    /// Whether to force a login even with a session at the provider.
    package let forcesLogin: Bool
    /// The login that is needed; nil for any.
    package let demand: RequiredLogin?

    package init(
        state: String, secrets: LoginSecrets, redirectURI: String, forcesLogin: Bool = false,
        demand: RequiredLogin? = nil
    ) {
        self.state = state
        self.secrets = secrets
        self.redirectURI = redirectURI
        self.forcesLogin = forcesLogin
        self.demand = demand
    }
}

/// A redirect to a provider.
package struct LoginRedirect: Sendable, Equatable {
    package let location: String

    package init(location: String) { self.location = location }
}

/// A provider's callback as received from a browser, in query or form. Untrusted.
package struct ProviderCallback: Sendable {
    package var code: String?
    package var error: String?
    /// `iss` (RFC 9207).
    package var issuer: String?
    /// Remaining fields, for providers of another protocol.
    package var fields: [(name: String, value: String)]

    package init(code: String?, error: String?, issuer: String?, fields: [(name: String, value: String)] = []) {
        self.code = code
        self.error = error
        self.issuer = issuer
        self.fields = fields
    }
}

/// Names of the fields of a posted answer.
package struct AnswerFields: Sendable {
    package let answer: String
    /// The field that returns `LoginStart.state`.
    package let state: String

    package init(answer: String, state: String) {
        self.answer = answer
        self.state = state
    }
}

/// A form that a browser posted for a provider. Untrusted.
package struct ProviderForm: Sendable {
    /// The field with the answer, verbatim.
    package let response: String

    package init(response: String) { self.response = response }
}

/// The user identified by a posted answer. The login it belongs to is not yet known.
package struct PostedIdentity: Sendable, Equatable {
    package let identity: ProvidedIdentity
    /// Id of the gateway's request that it answers (`InResponseTo`).
    package let requestID: String
    /// The provider's id of the assertion; each is accepted once.
    package let assertionID: String

    package init(identity: ProvidedIdentity, requestID: String, assertionID: String) {
        self.identity = identity
        self.requestID = requestID
        self.assertionID = assertionID
    }
}

/// A user as identified by a provider.
package struct ProvidedIdentity: Sendable, Equatable {
    /// Name of the provider.
    package let provider: String
    /// The provider's unique id of the user.
    package let subject: String
    /// The provider's session id, by which it may end the login later (`sid`).
    package let sessionID: String?
    /// All claims about the user; `sub` is `subject`.
    package let claims: JSONNode
    /// The provider's access token; nil if absent.
    package let accessToken: String?
    /// The tokens that are kept with the login; nil for none.
    package var tokens: ProvidedTokens?
    /// Time of the login there in seconds since 1970, from signed data; nil if not stated.
    package let authenticatedAt: Int64?
    /// Levels of the login there (`acr`), from signed data.
    package let levels: [String]
    /// Time in seconds since 1970 at which the provider wants the login to end; nil if not stated.
    package let endsAt: Int64?

    package init(
        provider: String, subject: String, sessionID: String?, claims: JSONNode, accessToken: String?,
        authenticatedAt: Int64? = nil, levels: [String] = [], endsAt: Int64? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.sessionID = sessionID
        self.claims = claims
        self.accessToken = accessToken
        self.authenticatedAt = authenticatedAt
        self.levels = levels
        self.endsAt = endsAt
    }
}

extension ProvidedIdentity {
    /// Whether a text can be a level of a route: visible ASCII without blanks, and short enough for a cookie.
    static func isLevel(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > ASCII.space && $0 < 0x7F }
    }
}

/// Logins that ended at a provider (OpenID Connect Back-Channel Logout section 2.4): those of one of its sessions, or
/// all of a user's.
package struct LogoutNotice: Sendable, Equatable {
    package enum Scope: Sendable, Equatable {
        /// With its user, if stated: needed for logins whose provider gave no session id.
        case session(String, of: String? = nil)
        case subject(String)
    }

    package let scope: Scope
    /// `jti`.
    package let tokenID: String
    /// Time of the notice, in seconds since 1970.
    package let issuedAt: Int64

    package init(scope: Scope, tokenID: String, issuedAt: Int64) {
        self.scope = scope
        self.tokenID = tokenID
        self.issuedAt = issuedAt
    }
}

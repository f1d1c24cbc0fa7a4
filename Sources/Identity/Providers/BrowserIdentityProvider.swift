import Bytes
import Crypto
import Model
import Outbound

/// Somebody else who knows users, and to whom browsers are sent to log in (SSO-07, RP-01). What it has said of a user is
/// believed for what it is: `rules` make a user of the gateway of it.
package protocol BrowserIdentityProvider: AnyObject, Sendable {
    /// Of the configuration.
    var name: String { get }
    var rules: ProviderRules { get }

    /// Where a browser goes to log in.
    /// - Parameter now: seconds since 1970, as everywhere here.
    func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>>

    /// What became of it, once the browser is back.
    /// - Parameter redirectURI: the one that the login was begun with.
    func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>>

    /// Where a browser goes to be logged out there too; nil for nowhere.
    /// - Parameter back: where the provider sends it afterwards.
    func logoutURL(back: String, now: Int64) -> Effect<WebURL?>

    /// What the provider says by itself of logins that have ended there.
    func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>>

    /// Whether browsers bring its answers by a form that its page sends, and not by their address. `read` and `isAnswer`
    /// then take the place of `finish`.
    var answersByForm: Bool { get }

    /// What such a form says, once it is believed: of whom, and to which request.
    func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>>

    /// Whether that request was the one of a login.
    func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool

    /// What the provider must know of the gateway, as a document of SAML metadata; nil where it has another way.
    var metadata: [UInt8]? { get }
}

extension BrowserIdentityProvider {
    package var answersByForm: Bool { false }

    package func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>> {
        .done(.failure(.malformedCallback))
    }

    package func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool { false }

    package var metadata: [UInt8]? { nil }
}

/// What the gateway alone knows of a login that it has sent to a provider.
package struct LoginSecrets: Sendable, Equatable {
    /// The code verifier of RFC 7636.
    package let verifier: String
    /// Comes back in the provider's token (OpenID Connect Core section 3.1.2.1).
    package let nonce: String

    package init(verifier: String, nonce: String) {
        self.verifier = verifier
        self.nonce = nonce
    }

    /// New ones: 256 and 128 random bits.
    package init() { self.init(verifier: SecureRandom.text(32), nonce: SecureRandom.text(16)) }

    /// The challenge of RFC 7636 section 4.2, method `S256`.
    package var challenge: String { LoginSecrets.challenge(of: verifier) }

    package static func challenge(of verifier: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(verifier.utf8).span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }
}

/// A login on its way to a provider.
package struct LoginStart: Sendable {
    /// How long a login at a provider may take, in seconds.
    package static let lifetimeSeconds: Int64 = 600

    /// Comes back with the browser as it is: of the URL-safe alphabet.
    package let state: String
    package let secrets: LoginSecrets
    /// Where the provider sends the browser back to.
    package let redirectURI: String
    /// Whether the user is to log in though the provider knows him already.
    package let forcesLogin: Bool

    package init(state: String, secrets: LoginSecrets, redirectURI: String, forcesLogin: Bool = false) {
        self.state = state
        self.secrets = secrets
        self.redirectURI = redirectURI
        self.forcesLogin = forcesLogin
    }
}

/// Where a browser is sent.
package struct LoginRedirect: Sendable, Equatable {
    package let location: String

    package init(location: String) { self.location = location }
}

/// What a browser brings back from a provider, read from query or form: evidence of nothing.
package struct ProviderCallback: Sendable {
    package var code: String?
    package var error: String?
    /// `iss` (RFC 9207).
    package var issuer: String?
    /// What else there is, for providers that speak another protocol.
    package var fields: [(name: String, value: String)]

    package init(code: String?, error: String?, issuer: String?, fields: [(name: String, value: String)] = []) {
        self.code = code
        self.error = error
        self.issuer = issuer
        self.fields = fields
    }
}

/// What a browser has posted for a provider: evidence of nothing.
package struct ProviderForm: Sendable {
    /// `SAMLResponse`, as it came.
    package let response: String

    package init(response: String) { self.response = response }
}

/// Whom a provider has named in what a browser posted. Which login it belongs to is not known yet.
package struct PostedIdentity: Sendable, Equatable {
    package let identity: ProvidedIdentity
    /// Which request of the gateway's it is the answer to (`InResponseTo`).
    package let requestID: String
    /// The provider's name for what it has signed; the same never counts twice.
    package let assertionID: String

    package init(identity: ProvidedIdentity, requestID: String, assertionID: String) {
        self.identity = identity
        self.requestID = requestID
        self.assertionID = assertionID
    }
}

/// Whom a provider has seen.
package struct ProvidedIdentity: Sendable, Equatable {
    /// Name of the provider.
    package let provider: String
    /// What the provider knows the user by, and nobody else at this provider.
    package let subject: String
    /// The provider's name for its own session, by which it may end the login later (`sid`).
    package let sessionID: String?
    /// All that it says of the user; `sub` is `subject`.
    package let claims: JSONNode
    /// Its access token; nil where it gives none.
    package let accessToken: String?
    /// Seconds since 1970 when the user has logged in there, as the provider has signed it; nil where it does not say.
    package let authenticatedAt: Int64?
    /// Seconds since 1970 when the provider wants its login to have ended; nil for no wish.
    package let endsAt: Int64?

    package init(
        provider: String, subject: String, sessionID: String?, claims: JSONNode, accessToken: String?,
        authenticatedAt: Int64? = nil, endsAt: Int64? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.sessionID = sessionID
        self.claims = claims
        self.accessToken = accessToken
        self.authenticatedAt = authenticatedAt
        self.endsAt = endsAt
    }
}

/// Logins that have ended at a provider (OpenID Connect Back-Channel Logout section 2.4): those of a session of the
/// provider's, or all that a user has.
package struct LogoutNotice: Sendable, Equatable {
    package enum Scope: Sendable, Equatable {
        /// With whose it is, where the provider says so: of logins that it has given no name, that is all there is to go by.
        case session(String, of: String? = nil)
        case subject(String)
    }

    package let scope: Scope
    /// `jti`.
    package let tokenID: String
    /// When the provider has said so, in seconds since 1970.
    package let issuedAt: Int64

    package init(scope: Scope, tokenID: String, issuedAt: Int64) {
        self.scope = scope
        self.tokenID = tokenID
        self.issuedAt = issuedAt
    }
}

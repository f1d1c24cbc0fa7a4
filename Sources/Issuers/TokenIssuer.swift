import Crypto
import Identity
import Outbound

/// A module that obtains the token for requests to an upstream (ISS-01). Modules neither block nor open sockets: they
/// return effects, and call other servers through the `OutboundCaller` they were created with. Caching, single flight,
/// refresh ahead, purging and negative caching are done by the framework (`IssuedTokenStore`).
package protocol TokenIssuer: Sendable {
    /// The module's name in `issuers.json`, such as `embedded`.
    var kind: String { get }
    /// Identifies the settings that its tokens depend on. Any change of settings changes it, so that no cached token
    /// outlives a configuration change. Contains no secrets.
    var configurationID: String { get }
    /// Whether tokens are derived from the caller's credential itself, so that two credentials of one caller must not
    /// share a token (RFC 8693).
    var dependsOnCredential: Bool { get }
    /// Whether an upstream behind a Webgate must challenge first (CACHE-08).
    var needsChallenge: Bool { get }
    /// Whether callers get their own tokens. If not, one token serves all (an account of the gateway).
    var dependsOnCaller: Bool { get }
    /// Whether the next process may use its tokens (CACHE-10).
    var outlivesProcess: Bool { get }
    /// Its signing keys, whose public parts are published with those of the token service.
    var publishedKeys: [SigningKey] { get }
    /// Obtains a token. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>>
    /// Whether its server can verify passwords.
    var verifiesPasswords: Bool { get }
    /// Verifies a password with one call and keeps nothing of the answer. Only for issuers that verify passwords.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>>
}

extension TokenIssuer {
    package var dependsOnCredential: Bool { false }
    package var needsChallenge: Bool { false }
    package var dependsOnCaller: Bool { true }
    package var outlivesProcess: Bool { true }
    package var publishedKeys: [SigningKey] { [] }
    package var verifiesPasswords: Bool { false }

    package func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        .done(.failure(.misconfigured.because("the module verifies no passwords")))
    }
}

import Crypto
import Identity
import Outbound

/// A module that obtains the token which a request carries to its upstream (ISS-01). Modules neither block nor open
/// sockets: they answer with an effect, and call other servers through the `OutboundCaller` that they were built with.
/// Cache, single flight, refresh ahead, purge and the short memory for failures are the framework's
/// (`IssuedTokenStore`).
package protocol TokenIssuer: Sendable {
    /// The module's name in `issuers.json`, such as `embedded`.
    var kind: String { get }
    /// Names the settings that this issuer's tokens depend on. It differs wherever they differ, so that no cached token
    /// outlives a change of configuration. It holds no secret.
    var configurationID: String { get }
    /// Whether a token is made from the very credential that the caller presented, so that two tokens of one caller
    /// must not share what is issued for them (RFC 8693).
    var dependsOnCredential: Bool { get }
    /// Whether a token for an upstream that is behind a Webgate can't be had before that has challenged (CACHE-08).
    var needsChallenge: Bool { get }
    /// Whether callers get tokens of their own. Where not, one token serves all of them (an account of the gateway's).
    var dependsOnCaller: Bool { get }
    /// The keys that it signs with, whose public parts are published with those of the token service.
    var publishedKeys: [SigningKey] { get }
    /// Obtains a token. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>>
    /// Whether its server can be asked if a password is right.
    var verifiesPasswords: Bool { get }
    /// Asks that, once, and keeps nothing of what comes. Only of issuers that verify passwords.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>>
}

extension TokenIssuer {
    package var dependsOnCredential: Bool { false }
    package var needsChallenge: Bool { false }
    package var dependsOnCaller: Bool { true }
    package var publishedKeys: [SigningKey] { [] }
    package var verifiesPasswords: Bool { false }

    package func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        .done(.failure(.misconfigured.because("the module verifies no passwords")))
    }
}

import Outbound

/// Issues the access tokens of a client instead of the token service, which has authenticated the subject (OAUTH-09,
/// JTX-12). The composition root implements it with an issuer module.
package protocol GrantIssuer: Sendable {
    /// Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func issue(_ grant: AccessTokenMinter.Grant, now: Int64) -> Effect<Result<GrantedToken, GrantIssuerFailure>>
}

/// A token issued by an issuer module.
package struct GrantedToken: Sendable {
    /// Visible ASCII.
    package var value: [UInt8]
    /// Lifetime in seconds; nil if it does not expire.
    package var expiresIn: Int64?

    package init(value: [UInt8], expiresIn: Int64?) {
        self.value = value
        self.expiresIn = expiresIn
    }
}

/// No token was issued, and not by the client's fault: 503 (JTX-12).
package struct GrantIssuerFailure: Error, Sendable {
    package init() {}
}

import Identity
import Outbound

/// Makes the access tokens of a backend in the place of the token service, which has found out for whom (OAUTH-09,
/// JTX-12). The composition root fills it with an issuer module.
package protocol GrantIssuer: Sendable {
    /// Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func issue(_ grant: AccessTokenMinter.Grant, now: Int64) -> Effect<Result<GrantedToken, GrantIssuerFailure>>
}

/// A token that an issuer module has made.
package struct GrantedToken: Sendable {
    /// Visible ASCII.
    package var value: [UInt8]
    /// Seconds until it ends; nil where it never does.
    package var expiresIn: Int64?

    package init(value: [UInt8], expiresIn: Int64?) {
        self.value = value
        self.expiresIn = expiresIn
    }
}

/// There is no token, and the client is not to blame: 503 (JTX-12).
package struct GrantIssuerFailure: Error, Sendable {
    package init() {}
}

import Bytes
import Identity
import Model

/// An accepted grant whose token is about to be issued.
package struct Issuance: Sendable {
    /// Format of the response.
    enum Shape: Sendable {
        /// OAUTH-02 and OAUTH-04.
        case contextual
        /// RFC 8693 section 2.2.1.
        case exchanged
        /// JTX-07.
        case mobile
        /// RFC 6749 section 5.1 without other members.
        case standard
    }

    package private(set) var grant: AccessTokenMinter.Grant
    let scope: GrantedScope
    /// The grant type, for the audit log, such as `password`.
    let action: String
    var shape: Shape
    package var tokenID = AccessTokenMinter.randomID()
    /// Refresh token of the response; nil for none.
    var refreshToken: String?
    /// The ID token to issue with the access token; nil for none.
    private(set) var identity: IDToken?

    package init(_ grant: AccessTokenMinter.Grant, _ scope: GrantedScope, action: String) {
        self.grant = grant
        self.scope = scope
        self.action = action
        shape = grant.client.isStandard ? .standard : .contextual
    }

    /// Adds an ID token if the login in a browser has granted the scope for it (OpenID Connect Core section 3.1.3.3, for
    /// refresh 12.2).
    /// - Parameters:
    ///   - nonce: of the authorization request; nil in the answer to a refresh.
    ///   - provided: what the identity provider has said of the user; nil for none.
    mutating func identify(nonce: String? = nil, provided: JSONNode?) {
        guard grant.session != nil, let scope = scope.claim, OpenIDScope.isGranted(.openid, in: scope) else { return }
        identity = IDToken(grant, nonce: nonce, provided: provided)
    }

    /// Makes the access token one of a family (`TokenFamily`).
    mutating func join(_ family: String) {
        tokenID = TokenFamily.tokenID(in: family, tokenID)
        // The token of a module has an id of its own.
        if grant.client.issuer != nil { grant.origins.append(TokenOrigin(tokenID: family, backendID: nil)) }
    }
}

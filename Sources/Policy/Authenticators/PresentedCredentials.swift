import Bytes
import HTTP
import Identity
import Model

/// What a request brings to a route with a list of authenticators. Beside an API key, at most one credential is in its
/// fields; a session cookie and a certificate may come beside that.
struct PresentedCredentials {
    let inFields: FieldCredentials.Other
    let key: FieldCredentials.Key?
    let route: Route
    let headers: HeaderTable
    let address: IPAddress?
    let secure: Bool
    let certificate: PresentedCertificate?
    let now: Int64
    let cache: VerifiedTokenCache

    /// Whether an authenticator judges the credential in the fields that is no API key.
    func isFor(_ kind: Authenticator.Kind) -> Bool {
        switch inFields {
        case .none, .unsupported: false
        case .token: kind == .bearer
        case .assertion: kind == .saml
        case .basic, .malformed(.basic, _): kind == .basic || kind == .anonymousKey
        case .malformed(let own, _): kind == own
        }
    }
}

import Bytes
import HTTP
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

    /// Whether an entry of the list judges the credential in the fields that is no API key.
    func isFor(_ listed: ListedKind) -> Bool {
        switch inFields {
        case .none, .unsupported: false
        case .token: listed.place == .token
        case .password: listed.place == .password
        case .own(let kind, _): listed.entry.kind == kind
        case .malformed(let place, _): listed.place == place
        }
    }
}

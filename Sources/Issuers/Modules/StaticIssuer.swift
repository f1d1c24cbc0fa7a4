import Declaration
import Identity
import Model
import Outbound

/// An issuer with a configured token for all callers. Module `static`.
package final class StaticIssuer: TokenIssuer {
    package let kind = "static"
    package let configurationID: String
    private let token: [UInt8]

    /// - Parameter token: visible ASCII.
    package init(token: String) {
        let token = Array(token.utf8)
        self.token = token
        configurationID = "static:" + ConfigurationIdentity.digest(of: token)
    }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        .done(.success(IssuedToken(value: token, issuedAt: now, expiresAt: .max)))
    }
}

extension IssuerModule {
    package static let fixed = IssuerModule(kind: "static") { object, _ in
        let token = object.required(
            "token", .secret, "a secret", placeholder: Secret(""), "The token, the same for all callers.")
        if object.hasErrors { return nil }
        guard token.value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            object.error(
                at: "token", "the token cannot stand in a header field", expected: "visible ASCII without blanks")
            return nil
        }
        return StaticIssuer(token: token.value)
    }
}

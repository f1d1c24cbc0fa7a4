import Declaration
import Identity
import Issuers
import Outbound

/// A module as another developer would write it: this file, and `.sample` in `Assembly.issuerModules`.
struct SampleIssuer: TokenIssuer {
    let kind = "sample"
    let configurationID: String
    let greeting: String

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        let value = "\(greeting)-\(request.principal.subject)"
        return .done(.success(IssuedToken(value: Array(value.utf8), issuedAt: now, expiresAt: now + 600)))
    }
}

extension IssuerModule {
    static let sample = IssuerModule(kind: "sample") { object, dependencies in
        let greeting = object.required(
            "greeting", .name, "a text", placeholder: "", "What the token begins with.")
        return SampleIssuer(configurationID: dependencies.identity(of: "sample", object), greeting: greeting)
    }
}

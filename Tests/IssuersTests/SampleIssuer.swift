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
    static let sample = IssuerModule(
        kind: "sample", keys: [IssuerKey("greeting", .text, required: true, "What the token begins with.")],
        build: { settings, _ throws(IssuerProblem) in
            SampleIssuer(configurationID: settings.identity(of: "sample"), greeting: settings.text("greeting") ?? "")
        })
}

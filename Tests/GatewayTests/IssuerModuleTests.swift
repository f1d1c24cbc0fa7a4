import Identity
import Issuers
import Outbound
import TestSupport
import Testing

@testable import Gateway

/// A module that the product does not have, behind a route (ISS-01): it takes the protocol and nothing else.
private struct DummyIssuer: TokenIssuer {
    let kind = "dummy"
    let configurationID = "dummy 1"

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        let value = "dummy-for-\(request.principal.subject)"
        return .done(.success(IssuedToken(value: Array(value.utf8), issuedAt: now, expiresAt: now + 3600)))
    }
}

@Suite struct IssuerModuleTests {
    @Test("ISS-01: a route injects the token of a module that was added from outside")
    func dummyModule() throws {
        let bench = try WorkerBench { $0.issuer = DummyIssuer() }
        let client = bench.client()
        client.send("GET /token/x HTTP/1.1\r\nHost: gw.example.com\r\n\(WorkerBench.credentials)\r\n")
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.contains("\r\nAuthorization: Bearer dummy-for-joe\r\n"))
        #expect(!head.contains("am9lOldlbGNvbWUx"), "the client's own credential stays here")
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        bench.expectNothingLeft()
    }
}

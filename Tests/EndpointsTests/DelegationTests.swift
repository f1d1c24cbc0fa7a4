import Bytes
import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// OAUTH-09 and JTX-12: an issuer module makes the tokens of a client that names it.
@Suite struct DelegationTests {
    /// Remembers what it was asked for.
    private final class Stub: GrantIssuer {
        let asked = Mutex<[AccessTokenMinter.Grant]>([])
        let answer: Result<GrantedToken, GrantIssuerFailure>

        init(_ answer: Result<GrantedToken, GrantIssuerFailure>) { self.answer = answer }

        func issue(
            _ grant: AccessTokenMinter.Grant, now: Int64
        ) -> Effect<Result<GrantedToken, GrantIssuerFailure>> {
            asked.withLock { $0.append(grant) }
            return .offload { .done(self.answer) }
        }
    }

    private func standards(_ issuer: Stub?) -> Standards {
        Standards {
            $0.clients = Standards.clients {
                $0.issuer = "remote-stub"
                $0.grants.refresh = nil
            }
            if let issuer { $0.grantIssuers["remote-stub"] = issuer }
        }
    }

    @Test("the module's token is returned")
    func theModulesToken() {
        let stub = Stub(.success(GrantedToken(value: Array("stub-token".utf8), expiresIn: 77)))
        let standards = standards(stub)
        let response = standards.login()
        #expect(response.status == 200)
        #expect(response.accessToken == "stub-token")
        #expect(response.json?["expires_in"]?.integer == 77)
        #expect(response.names == ["access_token", "expires_in", "oracle_tk_context", "token_type"])
        let asked = stub.asked.withLock { $0 }
        #expect(asked.count == 1)
        #expect(asked.first?.subject == "joe")
        #expect(asked.first?.roles == ["Manager"])
        #expect(asked.first?.lifetimeSeconds == 604_800)
        #expect(asked.first?.client.id == "mbe-inv-1")
        #expect(standards.grant("grant_type=client_credentials").accessToken == "stub-token")
        // Others are none of its business, nor is who may not log in.
        #expect(standards.login("", "sch").accessToken != "stub-token")
        #expect(standards.grant("grant_type=password&username=joe&password=wrong").error == "invalid_grant")
        #expect(stub.asked.withLock { $0.count } == 2)
    }

    @Test("OAUTH-04: `expires_in` is omitted for a token without an expiry")
    func tokenWithoutEnd() {
        let stub = Stub(.success(GrantedToken(value: Array("x".utf8), expiresIn: nil)))
        #expect(standards(stub).login().names == ["access_token", "oracle_tk_context", "token_type"])
    }

    @Test("a failure of the module is 503", arguments: [true, false])
    func failureIsNotAnAuthenticationFailure(_ known: Bool) {
        let response = standards(known ? Stub(.failure(GrantIssuerFailure())) : nil).login()
        #expect(response.status == 503)
        #expect(response.values("Retry-After") == ["1"])
        #expect(response.error == "temporarily_unavailable")
        #expect(response.audit?.outcome == .refused)
    }

    @Test("a token that the module issues again is its user's after a change of the store's key, and stays revoked")
    func changedKey() async throws {
        let stub = Stub(.success(GrantedToken(value: Array("stub-token".utf8), expiresIn: 77)))
        let (raw, revocations) = (MemoryTokenStore(), RevocationList())
        func standards(_ bytes: UInt8...) throws -> Standards {
            let key = try #require(TokenDigestKey(keys: bytes.map { Array(repeating: $0, count: 32) }))
            return Standards(store: RekeyedTokenStore(raw, key: key)) {
                $0.clients = Standards.clients {
                    $0.issuer = "remote-stub"
                    $0.grants.refresh = nil
                }
                $0.grantIssuers["remote-stub"] = stub
                $0.storeKey = key
                $0.revocations = revocations
            }
        }
        func records() async throws -> [TokenRecord] {
            let answer = try await raw.ask(.list(application: nil, subject: nil, limit: 10), now: Service.now)
            guard case .records(let records) = answer else { return [] }
            return records
        }
        #expect(try standards(1).login().accessToken == "stub-token")
        let first = try #require(try await records().first)
        for _ in 0..<2 { #expect(try standards(2, 1).login().accessToken == "stub-token") }
        let again = try await records()
        #expect(again.map(\.subject) == ["joe"] && again.map(\.tokenID) == [first.tokenID])
        revocations.revoke(tokenID: first.tokenID, until: Service.now + 100)
        _ = try await raw.ask(.revoke(.id(first.id)), now: Service.now)
        #expect(try standards(2, 1).login().accessToken == "stub-token")
        #expect(try await records().map(\.tokenID) == [first.tokenID], "a new name would not be revoked")
    }
}

import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Testing

/// RFC 7009.
@Suite struct RevocationEndpointTests {
    private func isRevoked(_ login: EndpointResponse, _ standards: Standards) throws -> Bool {
        let claims = try login.claims()
        return standards.revocations.isRevoked(
            tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID, issuedAt: claims.issuedAt)
    }

    @Test("an access token is revoked, and no other")
    func accessToken() throws {
        let standards = Standards()
        let login = standards.login()
        let other = standards.login()
        let response = standards.revoke(login.accessToken)
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(try isRevoked(login, standards))
        #expect(try !isRevoked(other, standards))
        #expect(response.audit?.action == "revoke" && response.audit?.subject == "joe")
        // Once more is no error.
        #expect(standards.revoke(login.accessToken).status == 200)
    }

    @Test("section 2.1: revoking a refresh token ends the grant and its access token")
    func refreshToken() throws {
        let standards = Standards()
        let login = standards.login()
        let renewed = standards.refresh(login.refreshToken)
        #expect(standards.revoke(renewed.refreshToken).status == 200)
        #expect(standards.refresh(renewed.refreshToken).error == "invalid_grant")
        #expect(try isRevoked(renewed, standards))
    }

    @Test("section 2.1: revoking an exchanged refresh token ends the grant too")
    func exchangedRefreshToken() throws {
        let standards = Standards {
            $0.clients = Standards.clients { $0.grants.refresh?.reuseSeconds = 10 }
        }
        let login = standards.login()
        let renewed = standards.refresh(login.refreshToken)
        let stranger = standards.revoke(login.refreshToken, "sch")
        #expect(stranger.status == 400 && stranger.error == "invalid_grant")
        let response = standards.revoke(login.refreshToken)
        #expect(response.status == 200 && response.reasonText == "token_ended" && response.audit?.subject == "joe")
        #expect(try isRevoked(renewed, standards))
        for token in [login, renewed].map(\.refreshToken) {
            #expect(standards.refresh(token).error == "invalid_grant")
        }
        #expect(standards.revoke(login.refreshToken).status == 200)
    }

    @Test("an unknown token is answered with success", arguments: ["nonsense", "a.b.c"])
    func unknownTokenIsFine(_ token: String) {
        #expect(Standards().revoke(token).status == 200)
    }

    @Test("another client's token is not revoked")
    func tokenOfAnotherClient() throws {
        let standards = Standards()
        let login = standards.login()
        for token in [login.accessToken, login.refreshToken] {
            let response = standards.revoke(token, "sch")
            #expect(response.status == 400 && response.error == "invalid_grant")
        }
        #expect(try !isRevoked(login, standards))
        #expect(standards.refresh(login.refreshToken).status == 200)
    }

    @Test("malformed and unauthenticated requests are refused")
    func theRequest() {
        let standards = Standards()
        #expect(standards.revoke("").error == "invalid_request")
        let anonymous = standards.service.answer(tokenRequest("token=x", nil), .revocation)
        #expect(anonymous.status == 401 && anonymous.error == "invalid_client")
        var get = tokenRequest("token=x")
        get.method = .get
        let wrongMethod = standards.service.answer(get, .revocation)
        #expect(wrongMethod.status == 405 && wrongMethod.values("Allow") == ["POST"])
        #expect(Standards(store: BrokenStore()).revoke("nonsense").status == 503)
    }
}

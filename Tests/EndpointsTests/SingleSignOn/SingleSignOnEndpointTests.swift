import Endpoints
import HTTP
import Identity
import Model
import SingleSignOn
import TestSupport
import Testing

/// How `/mobile/platform/sso/exchange-token` answers requests before a login or an exchange.
@Suite struct SingleSignOnEndpointTests {
    let service = SignOn.Settings(tokens: Service.settings()).families

    private func answer(
        _ method: HTTP.Method = .get, query: String = "", authorization: [String] = []
    ) -> EndpointResponse {
        service.handle(
            EndpointRequest(
                method: method, path: ExchangePaths.browsers, query: Array(query.utf8),
                authorization: authorization),
            endpoint: .singleSignOn, now: Service.now
        ).settled()
    }

    @Test("only GET is allowed", arguments: [HTTP.Method.post, .head, .put, .delete])
    func methods(_ method: HTTP.Method) {
        let response = answer(method, query: "clientID=inv-client")
        #expect(response.status == 405)
        #expect(response.values("Allow") == ["GET"])
    }

    @Test(
        "AMB-11: a request without bearer token and clientID is 401",
        arguments: [
            ("", []), ("clientid=inv-client", []), ("redirect_uri=https://x", []), ("a=%", []),
            ("clientID=inv-client", ["Basic eDp5"]), ("", ["Bearer"]), ("", ["Bearer "]), ("", ["bearer:x"]),
        ])
    func nobody(_ query: String, _ authorization: [String]) {
        let response = answer(query: query, authorization: authorization)
        #expect(response.status == 401)
        #expect(response.reasonText == "missing_credential")
        #expect(response.values("WWW-Authenticate") == [#"Bearer realm="portcullis""#])
    }

    @Test("ISS-08: two credentials are refused")
    func repeated() {
        #expect(answer(authorization: ["Bearer a", "Bearer b"]).status == 400)
    }

    @Test("SSO-06: without single sign-on there is an error page, and no redirect")
    func off() {
        let response = answer(query: "clientID=inv-client")
        #expect(response.status == 400)
        #expect(response.reasonText == "sso_not_enabled")
        #expect(response.values("Content-Type") == ["text/html; charset=utf-8"])
        #expect(response.values("Location") == [])
    }

    @Test("SAML-17: the capture address is reserved", arguments: [HTTP.Method.get, .post])
    func redirect(_ method: HTTP.Method) {
        let request = EndpointRequest(method: method, path: ExchangePaths.redirects[0])
        let response = service.handle(request, endpoint: .singleSignOnRedirect, now: Service.now).settled()
        #expect(response.status == 404)
    }
}

import Bytes
import Endpoints
import HTTP
import OAuthServer
import Testing

/// One request that gets no token, and what it gets (RFC 6749 section 5.2, OAUTH-03, OAUTH-05, OAUTH-06, OAUTH-08).
struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var request: EndpointRequest
    var status: Int
    var error: String
    var reason: String

    var testDescription: String { name }

    init(_ name: String, _ status: Int, _ error: String, _ reason: String, _ request: EndpointRequest) {
        self.name = name
        self.request = request
        self.status = status
        self.error = error
        self.reason = reason
    }

    private static func with(
        _ body: String, _ authorization: String? = basic("inv-client", "inv-secret"),
        _ change: (inout EndpointRequest) -> Void
    ) -> EndpointRequest {
        var request = tokenRequest(body, authorization)
        change(&request)
        return request
    }

    private static let client = "grant_type=client_credentials"
    private static let inBody = "&client_id=inv-client&client_secret=inv-secret"

    static let all: [Refusal] = methods + forms + clients + grants

    private static let methods: [Refusal] = [Method.get, .head, .put, .delete, .patch, .options, .extension].map {
        method in
        Refusal("method \(method)", 405, "invalid_request", "method_not_allowed", with(client) { $0.method = method })
    }

    private static let forms: [Refusal] = [
        Refusal("no type", 400, "invalid_request", "token_wrong_content_type", with(client) { $0.contentType = nil }),
        Refusal(
            "JSON", 400, "invalid_request", "token_wrong_content_type",
            with(client) { $0.contentType = "application/json" }),
        Refusal(
            "misspelt type", 400, "invalid_request", "token_wrong_content_type",
            with(client) { $0.contentType = "application/x-www-form-urlencoded2" }),
        Refusal("bad escape", 400, "invalid_request", "token_malformed_form", tokenRequest(client + "&x=%G0")),
        Refusal("bad UTF-8", 400, "invalid_request", "token_malformed_form", tokenRequest(client + "&x=%FF")),
        Refusal(
            "repeated grant", 400, "invalid_request", "token_repeated_parameter", tokenRequest(client + "&" + client)),
        Refusal(
            "repeated other", 400, "invalid_request", "token_repeated_parameter", tokenRequest(client + "&x=1&x=1")),
        Refusal(
            "repeated, encoded", 400, "invalid_request", "token_repeated_parameter",
            tokenRequest(client + "&gr%61nt_type=password")),
        Refusal(
            "secret in query", 400, "invalid_request", "token_credential_in_query",
            with(client) { $0.query = Array("client_secret=inv-secret".utf8) }),
        Refusal(
            "password in query", 400, "invalid_request", "token_credential_in_query",
            with("grant_type=password&username=joe&password=Welcome1") { $0.query = Array("a=1&password=".utf8) }),
        Refusal(
            "too large", 413, "invalid_request", "body_too_large",
            with(client) { $0.body += [UInt8](repeating: 38, count: 65_537) }),
    ]

    private static let clients: [Refusal] = [
        Refusal("no client", 401, "invalid_client", "invalid_client", tokenRequest(client, nil)),
        Refusal(
            "wrong secret", 401, "invalid_client", "invalid_client", tokenRequest(client, basic("inv-client", "bad"))),
        Refusal(
            "other's secret", 401, "invalid_client", "invalid_client",
            tokenRequest(client, basic("inv-client", "sch-secret"))),
        Refusal("no secret", 401, "invalid_client", "invalid_client", tokenRequest(client, basic("inv-client", ""))),
        Refusal("unknown client", 401, "invalid_client", "invalid_client", tokenRequest(client, basic("nobody", "x"))),
        Refusal(
            "secretless client", 401, "invalid_client", "invalid_client", tokenRequest(client, basic("bare-client", ""))
        ),
        Refusal(
            "Bearer", 401, "invalid_client", "invalid_client",
            tokenRequest(client, "Bearer aW52LWNsaWVudDppbnYtc2VjcmV0")),
        Refusal(
            "bad Base64", 401, "invalid_client", "invalid_client",
            tokenRequest(client, "Basic aW52LWNsaWVudDppbnYtc2VjcmV")),
        Refusal("empty Basic", 401, "invalid_client", "invalid_client", tokenRequest(client, "Basic ")),
        Refusal("no colon", 401, "invalid_client", "invalid_client", tokenRequest(client, "Basic aW52LWNsaWVudA==")),
        Refusal(
            "id alone in body", 401, "invalid_client", "invalid_client",
            tokenRequest(client + "&client_id=inv-client", nil)),
        Refusal(
            "wrong in body", 401, "invalid_client", "invalid_client",
            tokenRequest(client + "&client_id=inv-client&client_secret=x", nil)),
        Refusal(
            "empty in body", 401, "invalid_client", "invalid_client",
            tokenRequest(client + "&client_id=bare-client&client_secret=", nil)),
        Refusal("two methods", 400, "invalid_request", "token_two_credentials", tokenRequest(client + inBody)),
        Refusal(
            "two clients", 400, "invalid_request", "token_two_credentials",
            tokenRequest(client + "&client_id=sch-client&client_secret=sch-secret")),
        Refusal(
            "other id", 400, "invalid_request", "token_conflicting_client_id",
            tokenRequest(client + "&client_id=sch-client")),
        Refusal(
            "two fields", 400, "invalid_request", "repeated_authorization",
            with(client) { $0.authorization.append($0.authorization[0]) }),
        Refusal(
            "OAuth off", 400, "unauthorized_client", "unauthorized_client",
            tokenRequest(client, basic("off-client", "off-secret"))),
        Refusal(
            "OAuth off, wrong secret", 401, "invalid_client", "invalid_client",
            tokenRequest(client, basic("off-client", "x"))),
    ]

    private static let grants: [Refusal] = [
        Refusal("no grant", 400, "invalid_request", "token_missing_grant_type", tokenRequest("x=1")),
        Refusal("empty body", 400, "invalid_request", "token_missing_grant_type", tokenRequest("")),
        Refusal("empty grant", 400, "invalid_request", "token_missing_grant_type", tokenRequest("grant_type=")),
        Refusal(
            "unknown grant", 400, "unsupported_grant_type", "unsupported_grant_type", tokenRequest("grant_type=magic")),
        Refusal(
            "grant in capitals", 400, "unsupported_grant_type", "unsupported_grant_type",
            tokenRequest("grant_type=PASSWORD")),
        Refusal(
            "refresh", 400, "unsupported_grant_type", "unsupported_grant_type",
            tokenRequest("grant_type=refresh_token&refresh_token=x")),
        Refusal(
            "no password", 400, "invalid_request", "token_missing_parameter",
            tokenRequest("grant_type=password&username=joe")),
        Refusal(
            "empty password", 400, "invalid_request", "token_missing_parameter",
            tokenRequest("grant_type=password&username=joe&password=")),
        Refusal(
            "no user name", 400, "invalid_request", "token_missing_parameter",
            tokenRequest("grant_type=password&password=Welcome1")),
    ]
}

@Suite struct TokenFailureTests {
    let service = Service.service()

    @Test("each refusal has the specified status, error and reason", arguments: Refusal.all)
    func refusal(_ refusal: Refusal) {
        let response = service.answer(refusal.request)
        #expect(response.status == refusal.status)
        #expect(response.error == refusal.error)
        #expect(response.reasonText == refusal.reason)
        #expect(response.names == ["error", "error_description"])
    }

    @Test(
        "OAUTH-04: every response has the three header fields",
        arguments: Refusal.all.map(\.request) + [tokenRequest("grant_type=client_credentials")])
    func everyReplyHasTheThreeFields(_ request: EndpointRequest) {
        let response = service.answer(request)
        #expect(response.values("Content-Type") == ["application/json;charset=UTF-8"])
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(response.values("Pragma") == ["no-cache"])
    }

    @Test("OAUTH-06, OAUTH-08: refusals have their additional header fields", arguments: TokenFailure.allCases)
    func extraFields(_ failure: TokenFailure) {
        let response = failure.response
        #expect(response.values("Allow") == (failure == .methodNotAllowed ? ["POST"] : []))
        // SAML-01: where assertions are exchanged clients bring bearer tokens.
        let scheme = failure == .unknownBackend ? "Bearer" : "Basic"
        #expect(
            response.values("WWW-Authenticate")
                == (response.error == "invalid_client" ? ["\(scheme) realm=\"portcullis\""] : []))
        #expect((response.status == 401) == (response.error == "invalid_client"))
        // An outage counts against no client.
        #expect(response.status != 503 || response.values("Retry-After") == ["1"])
    }

    @Test("RFC 6749 section 5.2: descriptions use allowed characters only", arguments: TokenFailure.allCases)
    func descriptionsKeepToTheirAlphabet(_ failure: TokenFailure) {
        let text = failure.definition.description.utf8
        #expect(!text.isEmpty)
        #expect(text.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }

    @Test("reasons are stable and distinct")
    func reasonsAreStableAndDistinct() {
        let reasons = TokenFailure.allCases.map { "\($0.definition.reason)" }
        #expect(Set(reasons).count == reasons.count)
    }

    @Test(
        "OAUTH-06: credentials are accepted in header or body, plain or encoded, with any scheme case",
        arguments: [
            tokenRequest("grant_type=client_credentials&client_id=inv-client&client_secret=inv-secret", nil),
            tokenRequest("grant_type=client_credentials&client_id=inv-client"),
            tokenRequest("grant_type=client_credentials", "bAsIc aW52LWNsaWVudDppbnYtc2VjcmV0"),
            tokenRequest("grant_type=client_credentials", "Basic   aW52LWNsaWVudDppbnYtc2VjcmV0"),
            tokenRequest("grant_type=client_credentials", basic("odd client", "a+b&c=%:x")),
            tokenRequest("grant_type=client_credentials", basic("odd+client", "a%2Bb%26c%3D%25%3Ax")),
            tokenRequest("grant_type=client_credentials&client_id=odd+client&client_secret=a%2Bb%26c%3D%25%3Ax", nil),
        ])
    func waysToAuthenticate(_ request: EndpointRequest) {
        #expect(service.answer(request).status == 200)
    }

    @Test(
        "form content types are accepted with any parameters",
        arguments: ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded ; charset=UTF-8"])
    func contentTypes(_ type: String) {
        var request = tokenRequest("grant_type=client_credentials")
        request.contentType = type
        #expect(service.answer(request).status == 200)
    }

    @Test("a body of exactly the limit is accepted")
    func longestBody() {
        var request = tokenRequest("grant_type=client_credentials&x=")
        request.body += [UInt8](repeating: 97, count: 65_536 - request.body.count)
        #expect(service.answer(request).status == 200)
    }
}

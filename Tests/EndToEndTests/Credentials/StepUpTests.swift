import Foundation
import Testing

/// Routes that require a stronger or a newer login (RFC 9470).
@Suite struct StepUpTests {
    private func code(_ response: Response) -> String? { JSONText(response.text)["code"].string }

    private func time(ago seconds: Int) -> String {
        #","auth_time":\#(Int(Date().timeIntervalSince1970) - seconds)"#
    }

    @Test("a weak or old login is 401 with the login that is needed, and a token of such a login is accepted")
    func challenge() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry(#""acrFromAmr": {"otp": "mfa"}, "clockSkew": "5s""#))]"
            $0.addRoutes(
                #"{"path": "/pay", "upstream": "stub", "methods": {"GET": {}, "POST": {"acr": ["mfa", "phr"], "maxAge": "10m"}}}"#
            )
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        func post(_ claims: String) throws -> Response {
            try fixture.request("POST", "/pay", [.bearer(issuer.token("a", more: claims))], body: "{}")
        }
        let challenge = #"Bearer realm="portcullis", error="insufficient_user_authentication", error_description="#
        let weak = try post(#","acr":"pwd""# + time(ago: 1))
        #expect(weak.status == 401 && code(weak) == "unauthorized")
        let needed = #", acr_values="mfa phr", max_age=600"#
        #expect(weak.only("WWW-Authenticate") == challenge + #""another way to log in is required""# + needed)
        let old = try post(#","acr":"mfa""# + time(ago: 620))
        #expect(old.status == 401)
        #expect(old.only("WWW-Authenticate") == challenge + #""a more recent login is required""# + needed)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "authentication_too_weak" } != nil)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "authentication_too_old" } != nil)
        #expect(try post(#","acr":"phr""# + time(ago: 500)).status == 200)
        #expect(try post(#","amr":["otp"]"# + time(ago: 500)).status == 200)
        #expect(try post("").status == 401)
        // The other method asks for nothing of the kind.
        #expect(try fixture.request("GET", "/pay", [.bearer(issuer.token("a"))]).status == 200)
    }

    @Test("explain says which login is missing; own tokens have a level and a time")
    func explain() throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"{"path": "/pay", "upstream": "stub", "acr": "3", "maxAge": "10m"}"#,
                #"{"path": "/new", "upstream": "stub", "acr": "2", "maxAge": "10m"}"#)
        }
        #expect(try fixture.request("GET", "/new", [.bearer(fixture.token("joe"))]).status == 200)
        let directory = fixture.gateway.configuration
        try directory.write("token", try fixture.token("joe"))
        func explained(_ path: String) throws -> String {
            try Program.run(
                GatewayProcess.binary,
                ["explain", "GET", path, "--config", directory.path, "--token-file", "\(directory.path)/token"]
            ).output
        }
        let weak = try explained("/pay")
        #expect(weak.contains("authentication_too_weak; missing: acr 3\n"), "\(weak)")
        let password = try fixture.request(
            "GET", "/new", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(password.status == 401)
        #expect(password.only("WWW-Authenticate")?.contains("max_age=600") == true)
    }
}

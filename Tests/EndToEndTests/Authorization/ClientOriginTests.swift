import Foundation
import TestSupport
import Testing

/// Pages that may send the requests of a client, in the running gateway.
@Suite(.tags(.core)) struct ClientOriginTests {
    private static let page = "https://app.example.com"

    @Test("pages of a client's origins call the token endpoint for it, others and those of other clients do not")
    func tokens() throws {
        let fixture = try Fixture {
            $0["tokenService"] = "{}"
            $0["policies"] = nil
            $0["backends"] = FixtureSettings.coreBackends
            $0["clients"] = FixtureSettings.list([
                #"{"clientId": "app", "clientSecret": "a", "allowedOrigins": ["\#(Self.page)"]}"#,
                #"{"clientId": "shop", "clientSecret": "s", "allowedOrigins": ["https://*.shop.example"]}"#,
                #"{"clientId": "job", "clientSecret": "j"}"#,
            ])
        }
        func ask(_ client: String, from origin: String?) throws -> Response {
            try fixture.request(
                "POST", "/oauth2/token",
                [.basic(client), "Content-Type: application/x-www-form-urlencoded"]
                    + (origin.map { ["Origin: \($0)"] } ?? []),
                body: "grant_type=client_credentials")
        }
        for (client, origin) in [
            ("app:a", Self.page), ("shop:s", "https://one.shop.example"), ("app:a", "http://gw.example.com"),
        ] {
            let answer = try ask(client, from: origin)
            #expect(answer.status == 200 && answer.only("Access-Control-Allow-Origin") == origin, "\(answer.text)")
        }
        #expect(try ask("app:a", from: nil).status == 200)
        for (client, origin) in [("app:a", "https://one.shop.example"), ("shop:s", Self.page)] {
            let answer = try ask(client, from: origin)
            #expect(answer.status == 400 && JSONText(answer.text)["error"].string == "unauthorized_client")
            #expect(answer.only("Access-Control-Allow-Origin") == origin, "the page can read why")
        }
        // A wrong secret shows nothing of the origins.
        #expect(try JSONText(ask("app:x", from: "https://one.shop.example").text)["error"].string == "invalid_client")
        // A client without a list has the pages of `Security_AllowOrigin`: none here.
        #expect(try ask("job:j", from: Self.page).status == 400)
        #expect(try ask("job:j", from: "https://evil.example").status == 403)
        #expect(try ask("job:j", from: nil).status == 200)
        let preflight = try fixture.request(
            "OPTIONS", "/oauth2/token", ["Origin: \(Self.page)", "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204 && preflight.only("Access-Control-Allow-Origin") == Self.page)
        // Nor do they read the gateway's own pages.
        for path in ["/oauth2/logout", "/oauth2/authorize"] {
            let answer = try fixture.request("GET", path, ["Origin: \(Self.page)"])
            #expect(answer.only("Access-Control-Allow-Origin") == nil, "\(path) \(answer.status)")
        }
        // Routes have their own rules.
        #expect(try fixture.request("GET", "/plain", ["Origin: \(Self.page)"]).status == 403)
    }
}

import Foundation
import Testing

/// `portcullis client request` at scripted servers: the loop of a challenge, and what servers may do (RST-01 to RST-04).
@Suite struct ClientRequestTests {
    private let server: StubUpstream
    private let home: ClientHome

    init() throws {
        server = try StubUpstream()
        home = try ClientHome("\"baseUrl\": \"\(server.url)\", \"serviceDomain\": \"Mobile\", \"appName\": \"DemoApp\"")
        let services = "/oic_rest/rest/mobile"
        server.on("/oic_rest/rest/AppProfiles/DemoApp") { _ in
            let names = [
                ("registrationService", "register"), ("userAuthService", "authenticate"), ("accessService", "access"),
            ]
            let members = names.map { "\"\($0.0)\":\"\(services)/\($0.1)\"" } + [#""serviceDomain":"Mobile""#]
            return [
                .reply("200 OK", ["Cache-Control: max-age=600"], body: "{\(members.joined(separator: ","))}")
            ]
        }
        for (service, type, token) in [
            ("register", "CLIENTREGHANDLE", "crh.v1.a"), ("authenticate", "USERTOKEN", "ut.v1.b"),
            ("access", "ACCESSTOKEN", "at%2Fc"),
        ] {
            server.on("\(services)/\(service)") { request in
                let isKnown =
                    service == "register"
                    || request.only("X-Idaas-Rest-Authorization")
                        == "UIDPASSWORD cred=\"\(JSONWebToken.base64("DemoApp:crh.v1.a"))\""
                guard isKnown, request.only("X-IDAAS-SERVICEDOMAIN") == "Mobile" else {
                    return [.reply("401 No", body: "{}")]
                }
                return [
                    .reply(body: #"{"X-Idaas-Rest-Token-Type":"\#(type)","X-Idaas-Rest-Token-Value":"\#(token)"}"#)
                ]
            }
        }
        server.on("/items") { request in
            if request.only("Authorization") == "OAM-Auth at%2Fc" { return [.reply(body: #"{"items":[]}"#)] }
            let challenge = "OAM-Auth realm=\"WG:2\(request.target)\", request-ctx=\"encquery%3Da%2B\""
            return [
                .reply("401 Authorization Required", [Field(name: "WWW-Authenticate", value: challenge)], body: "{}")
            ]
        }
    }

    private func logIn() throws {
        let login = try home.run("login", "--user", "jdoe", input: "s3cret\n")
        try #require(login.ending == .exit(0), "\(login.errors)")
        #expect(login.output.contains("by oam"))
    }

    // RST-01
    @Test("after a login the first run gets 401 then 200, the next run 200 only")
    func loop() throws {
        try logIn()
        let first = try home.run("request", "\(server.url)/items?a=b")
        #expect(first.ending == .exit(0), "\(first.errors)")
        #expect(first.output == #"{"items":[]}"#)
        #expect(first.errors.isEmpty)
        let paths = server.requests.map(\.path).map { String($0.split(separator: "/").last ?? "") }
        #expect(paths == ["DemoApp", "register", "authenticate", "items", "access", "items"])
        let access = try #require(server.requests("/oic_rest/rest/mobile/access").first)
        let body = JSONText(String(decoding: access.body, as: UTF8.self))
        #expect(body["X-Idaas-Rest-Application-Context"].string == "encquery%3Da%2B")
        #expect(body["X-Idaas-Rest-Application-Resource"].string == "\(server.url)/items?a=b")
        // RST-02
        #expect(server.requests.allSatisfy { $0.only("User-Agent") == "OAMMS-Agent" })
        #expect(try home.run("request", "\(server.url)/items").ending == .exit(0))
        #expect(server.requests.count == 7)
        #expect(try home.run("token", "show").output.contains("WG level 2 at \(server.url)"))
    }

    @Test("RST-02, RST-03, RST-04: refusals are explained")
    func refusals() throws {
        let stranger = try home.run("request", "\(server.url)/items")
        #expect(stranger.ending == .exit(1))
        #expect(stranger.errors == "portcullis: status 401 Authorization Required")
        try logIn()
        let untouched = try home.run("request", "--no-auth", "\(server.url)/items")
        #expect(untouched.ending == .exit(1))
        #expect(untouched.errors == "portcullis: status 401 Authorization Required")
        server.on("/mobileapp") { _ in [.reply("401 No", ["WWW-Authenticate: Bearer realm=\"x\""])] }
        let unchallenged = try home.run("request", "\(server.url)/mobileapp")
        #expect(unchallenged.ending == .exit(1))
        #expect(unchallenged.errors.contains("has not challenged as it does mobile clients"))
        server.on("/page") { _ in [.reply(body: "<html>")] }
        let page = try home.run("request", "--json", "\(server.url)/page")
        #expect(page.ending == .exit(1))
        #expect(page.errors.contains("is no JSON"))
        #expect(try home.run("request", "\(server.url)/page").output == "<html>")
        #expect(try home.run("request", "--json", "\(server.url)/items").output == "{\n  \"items\": []\n}")
    }

    @Test("a redirect is shown, not followed")
    func redirect() throws {
        let other = try StubUpstream()
        try logIn()
        _ = try home.run("request", "\(server.url)/items")
        let place = Field(name: "Location", value: "\(other.url)/items")
        server.on("/items") { _ in [.reply("302 Found", [place])] }
        let result = try home.run("request", "\(server.url)/items")
        #expect(result.errors == "portcullis: status 302 Found")
        #expect(other.requests.isEmpty)
        // Another server gets no token for any challenge.
        other.on("/items") { _ in
            [.reply("401 No", ["WWW-Authenticate: OAM-Auth realm=\"WG:2 /items\", request-ctx=\"a\""])]
        }
        let stranger = try home.run("request", "\(other.url)/items")
        #expect(stranger.errors.contains("gets no token"))
        #expect(other.requests.count == 1)
        #expect(other.requests[0].only("Authorization") == nil)
    }

    @Test("bodies of every framing are received, and truncated ones reported")
    func framings() throws {
        let parts: [(String, String)] = [
            (
                "/chunked",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
            ),
            ("/close", "HTTP/1.1 200 OK\r\n\r\nabc0123456789"),
            (
                "/interim",
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nabc0123456789more"
            ),
        ]
        for (path, text) in parts {
            server.on(path) { _ in [.send(text), .close] }
            let result = try home.run("request", "\(server.url)\(path)")
            #expect(result.output == "abc0123456789", "\(path) \(result.errors)")
        }
        let broken = [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.1 200", "SSH-2.0-x\r\n\r\n",
            "",
        ]
        for text in broken {
            server.on("/broken") { _ in [.send(text), .close] }
            let result = try home.run("request", "\(server.url)/broken")
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains("cannot be used") || result.errors.contains("has not answered"), "\(text)")
            #expect(result.output.isEmpty)
        }
    }

    @Test("a large response over TLS is complete; an untrusted server is refused")
    func secure() throws {
        let fixture = try SecureFixture { settings in
            settings.addRoutes(#"{"path": "/large", "upstream": "stub", "public": true}"#)
        }
        let large = String(repeating: "0123456789abcdef", count: 20_000)
        fixture.upstream.on("/large") { _ in [.reply(body: large)] }
        let url = "https://localhost:\(try fixture.gateway.port("secure"))"
        let certificate = "\(fixture.gateway.configuration.path)/tls/cert.pem"
        let home = try ClientHome(ClientHome.inventory(url, more: #", "caFile": "\#(certificate)""#))
        let result = try home.run("request", "\(url)/large")
        #expect(result.output == large, "\(result.errors)")
        #expect(try home.run("login", "--user", "joe", input: "Welcome1\n").ending == .exit(0))
        #expect(try home.run("call", "/inventory/items").output == "/inventory/items")
        try home.write(ClientHome.inventory(url))
        let strange = try home.run("call", "/inventory/items")
        #expect(strange.ending == .exit(1))
        #expect(strange.errors.contains("no trustworthy connection"), "\(strange.errors)")
        let misnamed = url.replacing("localhost", with: "127.0.0.2")
        try home.write(ClientHome.inventory(misnamed, more: #", "caFile": "\#(certificate)""#))
        #expect(try home.run("call", "/inventory/items").ending == .exit(1))
    }
}

import Foundation
import Testing

/// An authorization server and an API behind it that others wrote (authlib, Flask): its tokens, obtained by each grant that
/// it knows, open its API.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter with authlib and flask; `deploy/test` makes one.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil))
struct OAuthServerTests {
    private struct Server {
        let program: Program
        let url: String

        init() throws {
            program = try Program(
                ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? "",
                [Vectors.root.appending(path: "Tests/Interop/oauth_server.py").path])
            let port = try #require(program.wait(.output) { $0.first }, "\(program.lines(.errors))")
            url = "http://127.0.0.1:\(port)"
        }

        func request(_ method: String, _ path: String, _ body: String? = nil) throws -> Response {
            let connection = try RawConnection(port: try #require(UInt16(url.split(separator: ":")[2])))
            return try connection.exchange(
                method, path, body == nil ? [] : ["Content-Type: application/json"], body: body)
        }

        func counts() throws -> [String: Int64] {
            let counts = JSONText(try request("GET", "/counts").text)
            return [
                "client_credentials", "password", "refresh_token", OAuthServerTests.jwtBearer,
                OAuthServerTests.exchange,
            ]
            .reduce(into: [:]) { if let count = counts[$1].integer { $0[$1] = Int64(count) } }
        }
    }

    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let basic = #""clientId": "gate way", "clientSecret": "s:e%c ret""#

    /// The API behind one issuer, asked by joe. Answers what it says of the token.
    private func ask(
        _ members: String, _ server: Server, _ then: (Fixture, String) throws -> Void = { _, _ in }
    ) throws -> JSONText {
        let fixture = try Fixture { settings in
            settings["upstreams"] = #"{"stub": {"url": "\#(server.url)"}}"#
            settings["issuers"] = """
                {"local": {"module": "oauth2", "allowHttp": true, \(members),
                           "discovery": "\(server.url)/.well-known/oauth-authorization-server",
                           "issuer": "\(server.url)", "allowedHosts": ["127.0.0.1"]}}
                """
            settings.addRoutes(#"{"path": "/api/**", "upstream": "stub", "injection": {"issuer": "local"}}"#)
        }
        let gateway = "http://127.0.0.1:\(try fixture.gateway.port())"
        #expect(try server.request("POST", "/control", #"{"gateway": "\#(gateway)"}"#).status == 204)
        let joe = try fixture.token("joe")
        let response = try fixture.request("GET", "/api/x", [.bearer(joe)])
        #expect(
            response.status == 200,
            "\(response.text) \(fixture.gateway.everythingWritten) \(server.program.lines(.errors))")
        try then(fixture, joe)
        return JSONText(response.text)
    }

    @Test("client credentials work by Basic, form and signed assertion (RFC 7523)")
    func clientCredentials() throws {
        let server = try Server()
        #expect(try ask(Self.basic, server)["client"].string == "gate way")
        let form = #""clientId": "form", "clientSecret": "s:e%c ret", "clientAuthentication": "client_secret_post""#
        #expect(try ask(form, server)["client"].string == "form")
        let signed = """
            "clientId": "signed", "clientAuthentication": "private_key_jwt", "clientKeyFile": "state/client.pem",
            "scope": "read"
            """
        #expect(try ask(signed, server)["client"].string == "signed")
        #expect(try server.counts()["client_credentials"] == 3)
    }

    @Test("an account of the gateway is renewed by single-use refresh tokens")
    func passwordAndRefresh() throws {
        let server = try Server()
        #expect(try server.request("POST", "/control", #"{"lifetime": 31}"#).status == 204)
        let members = #"\#(Self.basic), "grant": "password", "username": "svc", "password": "pass word""#
        let said = try ask(members, server) { fixture, joe in
            let deadline = Deadline.usual
            while try server.counts()["refresh_token"] ?? 0 < 2, !deadline.isPast {
                #expect(try fixture.request("GET", "/api/x", [.bearer(joe)]).status == 200)
            }
        }
        #expect(said["user"].string == "svc" && said["grant"].string == "password")
        #expect(try server.counts()["refresh_token"] ?? 0 >= 2)
        #expect(try server.counts()["password"] == 1)
    }

    @Test("the gateway's assertions about callers are verified by its published key (RFC 7523)")
    func assertion() throws {
        let server = try Server()
        let members = """
            "clientId": "https://gw.example.com", "grant": "jwt-bearer",
            "assertion": {"keyFile": "state/assertion.pem", "algorithm": "RS256", "issuer": "https://gw.example.com"}
            """
        let said = try ask(members, server) { fixture, _ in
            // A user who is unknown there gets no token, and the reason.
            let response = try fixture.request("GET", "/api/x", [.bearer(fixture.token("bob"))])
            #expect(response.status == 403)
            #expect(JSONText(response.text)["code"].string == "issuer_refused")
        }
        #expect(said["user"].string == "joe" && said["grant"].string == Self.jwtBearer)
    }

    @Test("the caller's token is exchanged for one of the server (RFC 8693)")
    func tokenExchange() throws {
        let server = try Server()
        let requested = #""requestedTokenType": "urn:ietf:params:oauth:token-type:access_token""#
        let said = try ask(#"\#(Self.basic), "grant": "token-exchange", \#(requested)"#, server) { fixture, joe in
            let response = try fixture.request("GET", "/api/x", [.bearer(fixture.token("bob"))])
            #expect(response.status == 403 && JSONText(response.text)["code"].string == "issuer_refused")
            // Revoked there: another one replaces it unnoticed.
            let before = try server.counts()[Self.exchange]
            #expect(try server.request("POST", "/control", #"{"revoke": true}"#).status == 204)
            #expect(try fixture.request("GET", "/api/x", [.bearer(joe)]).status == 200)
            #expect(try server.counts()[Self.exchange] == before.map { $0 + 1 })
        }
        #expect(said["user"].string == "joe" && said["grant"].string == Self.exchange)
    }
}

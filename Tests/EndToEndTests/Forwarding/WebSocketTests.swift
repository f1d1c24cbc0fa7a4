import Foundation
import Glibc
import Testing

/// Issue B: WebSockets of the Python library `websockets` through the gateway, with a token.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter that has the library; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil), .serialized)
struct WebSocketTests {
    private static func script(_ name: String) -> String {
        Vectors.root.appending(path: "Tests/Interop/\(name)").path
    }

    private static var python: String { ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? "" }

    /// A gateway in front of an echoing server, with a route for all users who are logged in.
    private final class Bench {
        let server: Program
        let fixture: Fixture

        init(members: String = "", _ change: (inout FixtureSettings) -> Void = { _ in }) throws {
            server = try Program(WebSocketTests.python, [WebSocketTests.script("websocket_echo.py")])
            let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
            fixture = try Fixture {
                Bench.prepare(&$0, port, members)
                change(&$0)
            }
            self.port = port
        }

        private let port: String

        static func prepare(_ settings: inout FixtureSettings, _ port: String, _ members: String = "") {
            settings["upstreams"] = #"{"stub": {"url": "http://127.0.0.1:\#(port)"}}"#
            settings.addRoutes(#"{"path": "/ws", "upstream": "stub"\#(members)}"#)
        }

        func reload(_ change: (inout FixtureSettings) -> Void) throws {
            try fixture.reload {
                Bench.prepare(&$0, port)
                change(&$0)
            }
        }

        func client(_ test: String, _ token: String? = nil) throws -> Program {
            let url = "ws://127.0.0.1:\(try fixture.gateway.port())/ws"
            return try Program(
                WebSocketTests.python,
                [WebSocketTests.script("websocket_client.py"), test, url] + (token.map { [$0] } ?? []))
        }

        /// Runs a case to its end.
        func run(_ test: String, _ token: String? = nil) throws -> String {
            let client = try client(test, token)
            let ending = client.waitForEnd(.after(.seconds(60)))
            #expect(ending == .exit(0), "\(client.lines(.errors))\n\(fixture.gateway.everythingWritten)")
            return client.lines(.output).joined(separator: "\n")
        }

        /// A client whose messages come back.
        func watch(_ token: String) throws -> Program {
            let client = try client("watch", token)
            #expect(client.wait(.output) { $0.isEmpty ? nil : true } == true, "\(client.lines(.errors))")
            return client
        }

        /// How often messages came back so far.
        func echoes(_ client: Program) -> Int { client.lines(.output).count }

        func openTunnels() throws -> Double? { try fixture.gateway.metrics().sum("portcullis_tunnels_open") }
    }

    private static func lastLine(_ client: Program) -> String? {
        client.waitForEnd() == .exit(0) ? client.lines(.output).last : nil
    }

    @Test("messages of every kind and size, pings and close codes are relayed in both directions")
    func messages() throws {
        let bench = try Bench()
        _ = try bench.run("messages", bench.fixture.token("joe"))
        // Workers write their lines independently of each other: the one of the large messages may come after others.
        let line = bench.fixture.gateway.waitForAccess {
            $0["path"].string == "/ws" && ($0["bytes_in"].integer ?? 0) > 1 << 20
        }
        #expect(line?["status"].integer == 101)
        #expect(line?["reason"].string == "allowed")
        #expect(line?["subject"].string == "joe")
        // Text is compressed by the two ends; random bytes are not.
        #expect(line?["bytes_out"].integer ?? 0 > 1 << 20)
        #expect(try bench.openTunnels() == 0)
    }

    @Test("100 concurrent connections are served and released")
    func many() throws {
        let bench = try Bench()
        let token = try bench.fixture.token("joe")
        _ = try bench.run("many", token)
        let before = try bench.fixture.gateway.program.openDescriptors()
        _ = try bench.run("many", token)
        #expect(try bench.fixture.gateway.metrics().sum("portcullis_tunnels_total") == 200)
        let deadline = Deadline.usual
        while try bench.fixture.gateway.program.openDescriptors() > before, !deadline.isPast { usleep(10_000) }
        #expect(try bench.fixture.gateway.program.openDescriptors() <= before)
    }

    @Test("a handshake without a credential is challenged")
    func refused() throws {
        let bench = try Bench()
        #expect(try bench.run("refused").hasPrefix("401 Bearer"))
        #expect(try bench.run("refused", "nonsense").hasPrefix("401 Bearer"))
    }

    @Test("a tunnel ends with its token, with a close frame")
    func expiry() throws {
        let bench = try Bench()
        let token = try bench.fixture.mint("joe", "--lifetime", "3")
        let end = try #require(JSONWebToken(token).claims["exp"].integer)
        let client = try bench.watch(token)
        #expect(Self.lastLine(client) == "closed 1008 tunnel_expired")
        #expect((0..<3).contains(Date().timeIntervalSince1970 - Double(end)))
        #expect(bench.fixture.gateway.waitForAccess { $0["reason"].string == "tunnel_expired" } != nil)
    }

    @Test("a tunnel ends when the login behind its token is older than the route's maxAge")
    func maximumAge() throws {
        let bench = try Bench(members: #", "maxAge": "3s""#) {
            $0["tokenService"] = #"{"clockSkew": "1s"}"#
        }
        let token = try bench.fixture.token("joe")
        let login = try #require(JSONWebToken(token).claims["auth_time"].integer)
        let client = try bench.watch(token)
        #expect(Self.lastLine(client) == "closed 1008 tunnel_expired")
        #expect((5..<8).contains(Date().timeIntervalSince1970 - Double(login)))
        #expect(try bench.run("refused", token).hasPrefix("401 Bearer"))
    }

    @Test("a revoked token ends its tunnels within about a second, and no others")
    func revocation() throws {
        let bench = try Bench()
        let token = try bench.fixture.token("joe")
        let clients = [try bench.watch(token), try bench.watch(bench.fixture.token("ann"))]
        #expect(try bench.openTunnels() == 2)
        let id = try #require(JSONWebToken(token).claims["jti"].string)
        let began = ContinuousClock.now
        #expect(try bench.fixture.admin("POST", "/admin/revocations", body: #"{"jti":"\#(id)"}"#).status == 204)
        #expect(Self.lastLine(clients[0]) == "closed 1008 tunnel_revoked")
        #expect(began.duration(to: .now) < .seconds(4))
        #expect(clients[1].isRunning)
        #expect(try bench.fixture.admin("POST", "/admin/revocations", body: #"{"subject":"ann"}"#).status == 204)
        #expect(Self.lastLine(clients[1]) == "closed 1008 tunnel_revoked")
    }

    @Test("a tunnel ends with the API key that opened it, and no other key of the consumer")
    func key() throws {
        let bench = try Bench {
            $0["consumers"] = #"[{"name": "billing"}]"#
            $0["routes"] = FixtureSettings.list(
                FixtureSettings.routes + [#"{"path": "/ws", "upstream": "stub", "loginRequired": false}"#])
        }
        let admin = Administrator(.listener, of: bench.fixture)
        let clients = try (0..<2).map { _ in
            try bench.watch(
                admin.done("keys", "add", "billing").trimmingCharacters(in: .whitespacesAndNewlines))
        }
        try admin.done("keys", "revoke", "billing", admin.keyIDs("billing")[0])
        #expect(Self.lastLine(clients[0])?.hasPrefix("closed 1008 tunnel_") == true)
        let before = bench.echoes(clients[1])
        #expect(clients[1].wait(.output) { $0.count > before + 2 ? true : nil } == true)
    }

    @Test("a tunnel ends with the key or the role that another gateway has taken away")
    func elsewhere() throws {
        let server = try Program(WebSocketTests.python, [WebSocketTests.script("websocket_echo.py")])
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let nodes = try SharedStoreNodes {
            Bench.prepare(&$0, port, #", "loginRequired": false, "roles": ["Manager"]"#)
            $0["consumers"] = #"[{"name": "billing", "roles": ["Manager"]}]"#
        }
        let key = try #require(JSONText(try nodes.admin(0, "POST", "/admin/consumers/billing/keys", "{}").text).string)
        try nodes.copyFiles(from: 0, to: 1)
        let url = "ws://127.0.0.1:\(try nodes.gateways[1].port())/ws"
        let clients = try [key, nodes.token(1), nodes.token(1, "eve", "a%2Bb%26c%3D%25")].map { token in
            let client = try Program(
                WebSocketTests.python, [WebSocketTests.script("websocket_client.py"), "watch", url, token])
            #expect(client.wait(.output) { $0.isEmpty ? nil : true } == true, "\(client.lines(.errors))")
            return client
        }
        try nodes.admin(0, "DELETE", "/admin/consumers/billing/keys/\(nodes.keyIDs("billing")[0])")
        #expect(Self.lastLine(clients[0])?.hasPrefix("closed 1008 tunnel_") == true)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"removeRoles": ["Manager"]}"#)
        #expect(Self.lastLine(clients[1])?.hasPrefix("closed 1008 tunnel_") == true)
        let before = clients[2].lines(.output).count
        #expect(clients[2].wait(.output) { $0.count > before + 2 ? true : nil } == true)
    }

    @Test("a reload keeps tunnels that are still permitted, and ends the others")
    func reload() throws {
        let bench = try Bench()
        let client = try bench.watch(bench.fixture.token("joe"))
        for _ in 0..<3 {
            try bench.reload { $0["users"] = FixtureSettings.users(joe: #"["Clerk"]"#) }
            let before = bench.echoes(client)
            #expect(client.wait(.output) { $0.count > before + 2 ? true : nil } == true)
        }
        #expect(client.isRunning)
        try bench.reload { $0["routes"] = FixtureSettings.list(FixtureSettings.routes) }
        #expect(Self.lastLine(client) == "closed 1008 tunnel_refused")
    }

    @Test("after a reload a policy server is asked again about a tunnel, which an outage leaves open")
    func policy() throws {
        let server = try StubUpstream()
        let answer = Monitor(("200 OK", "true"))
        server.on("/allow") { _ in
            let (status, result) = answer.current
            return [.reply(status, [], body: "{\"result\": \(result)}")]
        }
        func prepare(_ settings: inout FixtureSettings) {
            settings["policyServers"] = #"{"authz": {"url": "\#(server.url)/allow", "allowHttp": true}}"#
            settings.addRoutes(#"{"path": "/ws", "upstream": "stub", "policy": "authz"}"#)
        }
        let bench = try Bench(prepare)
        let client = try bench.watch(bench.fixture.token("joe"))
        for (count, status) in [(2, "200 OK"), (3, "500 Internal Server Error")] {
            answer.withLock { $0.0 = status }
            try bench.reload(prepare)
            #expect(server.waitForRequests(count, "/allow").count == count)
            let before = bench.echoes(client)
            #expect(client.wait(.output) { $0.count > before + 2 ? true : nil } == true)
        }
        answer.withLock { $0 = ("200 OK", "false") }
        try bench.reload(prepare)
        #expect(Self.lastLine(client) == "closed 1008 tunnel_refused")
    }

    @Test("a drain ends tunnels at its deadline")
    func drain() throws {
        let bench = try Bench { $0["limits"] = #"{"drainTimeout": "1s"}"# }
        let client = try bench.watch(bench.fixture.token("joe"))
        #expect(try bench.fixture.gateway.stop() == .exit(0))
        #expect(Self.lastLine(client) == "closed 1001 tunnel_drained")
    }
}

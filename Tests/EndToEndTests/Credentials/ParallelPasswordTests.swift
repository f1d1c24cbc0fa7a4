import Foundation
import Testing

/// Many requests with a right password at the same time, with a hash that takes as long as a real one.
@Suite struct ParallelPasswordTests {
    /// Of `Welcome1`.
    static let slowHash = "{scrypt}ln=15,r=8,p=1$BIu9Su39DsOlofLVKzBT4Q==$654F/tig6S2f2bbj4zcoheXLXFEtO615Mrn0ZzFqcqs="

    static func prepare(_ settings: inout FixtureSettings, cache: String = "1s") {
        settings["users"] = #"[{"username": "joe", "password": "\#(slowHash)", "roles": ["Manager"]}]"#
        settings["passwords"] = #"{"cache": "\#(cache)"}"#
    }

    private static func fields(_ pair: String) -> [Field] { [.basic(pair), "Oracle-Mobile-Backend-ID: mbe-inv-1"] }

    /// The statuses of the same request on all connections, all of them sent before one is answered.
    private func statuses(_ connections: [RawConnection], _ request: String, _ method: String) throws -> Set<Int> {
        for connection in connections { try connection.send(request) }
        return Set(try connections.map { try $0.readResponse(to: method).status })
    }

    @Test("64 Basic requests of a user are admitted, however often the password is checked", arguments: ["0s", "1s"])
    func basic(cache: String) throws {
        let fixture = try Fixture { Self.prepare(&$0, cache: cache) }
        let connections = try (0..<64).map { _ in try fixture.gateway.connect() }
        let request = RawConnection.request("GET", "/plain", Self.fields("joe:Welcome1"))
        for _ in 0..<8 { #expect(try statuses(connections, request, "GET") == [200]) }
    }

    @Test("64 password grants for a user are given")
    func grant() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let connections = try (0..<64).map { _ in try fixture.gateway.connect() }
        let request = RawConnection.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=password&username=joe&password=Welcome1")
        for _ in 0..<4 { #expect(try statuses(connections, request, "POST") == [200]) }
    }

    @Test("as many wrong passwords as are allowed are checked at a time, and then the right one is refused as well")
    func guesses() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let connections = try (0..<30).map { _ in try fixture.gateway.connect() }
        for (index, connection) in connections.enumerated() {
            try connection.send(RawConnection.request("GET", "/plain", Self.fields("joe:guess \(index)")))
        }
        let statuses = try connections.map { try $0.readResponse().status }
        #expect(statuses.count { $0 == 401 } == 10 && statuses.count { $0 == 429 } == 20)
        #expect(try fixture.request("GET", "/plain", Self.fields("joe:Welcome1")).status == 429)
    }

    @Test("a known user logs in beside guesses from 200 networks, all of which are answered")
    func guessingNetworks() throws {
        let fixture = try Fixture {
            Self.prepare(&$0, cache: "0s")
            $0["workers"] = "1"
            $0["trustedProxies"] = #"["127.0.0.1"]"#
        }
        func request(_ path: String, _ pair: String, _ address: String) -> String {
            RawConnection.request("GET", path, Self.fields(pair) + [Field(name: "X-Forwarded-For", value: address)])
        }
        let home = try fixture.gateway.connect()
        let login = request("/inventory/me", "joe:Welcome1", "192.0.2.1")
        try home.send(login)
        #expect(try home.readResponse().status == 200)
        let guessers = try (0..<200).map { _ in try fixture.gateway.connect() }
        for (index, guesser) in guessers.enumerated() {
            try guesser.send(request("/plain", "user \(index):guess", "10.0.\(index).1"))
        }
        try home.send(login)
        #expect(try home.readResponse().status == 200)
        let answers = try guessers.map { try $0.readResponse() }
        #expect(answers.allSatisfy { $0.status == 401 || $0.status == 503 && $0.only("Retry-After") != nil })
        _ = fixture.gateway.waitForAccess { $0["path"].string == "/plain" && $0["status"].integer == 401 }
        // The log has them in the order of their answers: some guesses were checked before the login arrived.
        let lines = fixture.gateway.program.lines(.output).map { JSONText($0) }
        let logins = lines.indices.filter { lines[$0]["path"].string == "/inventory/me" }
        let last = try #require(logins.last)
        let later = lines[last...].count { $0["path"].string == "/plain" && $0["status"].integer == 401 }
        #expect(logins.count == 2 && later > 0, "\(later) guesses were checked after the login")
    }
}

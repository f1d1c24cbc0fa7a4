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
}

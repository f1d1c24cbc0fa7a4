import Foundation
import Testing

/// Revocation of refresh tokens beside their exchange (RFC 7009 section 2.1), against the running gateway.
@Suite struct RefreshRaceTests {
    private static let client: [Field] = [
        .basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded",
    ]

    private func fixture(_ kind: String) throws -> Fixture {
        try Fixture { settings in
            settings["backends"] = StandardsTests.backends()
            settings["store"] = #"{"kind": "\#(kind)"}"#
        }
    }

    private func login(_ connection: RawConnection) throws -> (access: String, refresh: String) {
        try pair(post(connection, "token", "grant_type=password&username=joe&password=Welcome1"))
    }

    private func pair(_ response: Response) throws -> (access: String, refresh: String) {
        let json = JSONText(response.text)
        return (try #require(json["access_token"].string), try #require(json["refresh_token"].string))
    }

    private func post(_ connection: RawConnection, _ endpoint: String, _ body: String) throws -> Response {
        try connection.exchange("POST", "/oauth2/\(endpoint)", Self.client, body: body)
    }

    /// Neither token of a pair is of any use.
    private func expectEnded(
        _ pair: (access: String, refresh: String), _ connection: RawConnection, _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let known = try post(connection, "introspect", "token=\(pair.access)")
        #expect(JSONText(known.text)["active"].bool == false, comment, sourceLocation: sourceLocation)
        let refreshed = try post(connection, "token", "grant_type=refresh_token&refresh_token=\(pair.refresh)")
        #expect(refreshed.status == 400, comment, sourceLocation: sourceLocation)
    }

    @Test("revoking an already exchanged token ends its login", arguments: ["memory", "sqlite"])
    func exchangedBefore(_ kind: String) throws {
        let fixture = try fixture(kind)
        let connection = try fixture.gateway.connect()
        let first = try login(connection)
        let second = try pair(post(connection, "token", "grant_type=refresh_token&refresh_token=\(first.refresh)"))
        let third = try pair(post(connection, "token", "grant_type=refresh_token&refresh_token=\(second.refresh)"))
        #expect(try post(connection, "revoke", "token=\(first.refresh)").status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(third.access)]).status == 401)
        try expectEnded(third, connection, "of a token exchanged before")
    }

    @Test("500 concurrent refreshes and revocations all end without a session", arguments: ["memory", "sqlite"])
    func races(_ kind: String) throws {
        let fixture = try fixture(kind)
        let connections = [try fixture.gateway.connect(), try fixture.gateway.connect()]
        var exchanged = 0
        for round in 0..<500 {
            let first = try login(connections[0])
            let requests = [
                ("token", "grant_type=refresh_token&refresh_token=\(first.refresh)"),
                ("revoke", "token=\(first.refresh)"),
            ]
            // Both are on the way before either is answered, now the one first, now the other.
            for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                try connections[index].send(
                    RawConnection.request(
                        "POST", "/oauth2/\(requests[index].0)", Self.client, body: requests[index].1))
            }
            let refreshed = try connections[0].readResponse(to: "POST")
            #expect(try connections[1].readResponse(to: "POST").status == 200)
            try expectEnded(first, connections[0], "round \(round)")
            guard refreshed.status == 200 else { continue }
            exchanged += 1
            try expectEnded(try pair(refreshed), connections[0], "round \(round), refreshed")
        }
        #expect((1..<500).contains(exchanged), "one was always quicker: \(exchanged)")
    }
}

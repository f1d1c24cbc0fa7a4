import Foundation
import TestSupport
import Testing

/// Logins with refresh tokens at several gateways with one Redis server.
@Suite struct SharedLoginTests {
    private typealias Pair = (access: String, refresh: String)

    private func pair(_ response: Response) throws -> Pair {
        let json = JSONText(response.text)
        return (
            try #require(json["access_token"].string, "\(response.text)"),
            try #require(json["refresh_token"].string, "\(response.text)")
        )
    }

    private func nodes() throws -> SharedStoreNodes {
        try SharedStoreNodes { $0["backends"] = StandardsTests.backends() }
    }

    /// A login at the first gateway and refreshes at all of them in turn.
    private func logins(_ nodes: SharedStoreNodes, refreshes: Int) throws -> [Pair] {
        var all = [try pair(nodes.login(0))]
        for turn in 1...refreshes {
            let form = "grant_type=refresh_token&refresh_token=\(all[turn - 1].refresh)"
            all.append(try pair(nodes.grant(nodes.gateways[turn % nodes.gateways.count], form)))
        }
        return all
    }

    private func denied(_ nodes: SharedStoreNodes) throws -> String {
        try nodes.redis.ask("ZCARD", "{portcullis:}denied")
    }

    @Test("refreshes add nothing to the deny list, and one entry ends the login at all gateways")
    func families() throws {
        let nodes = try nodes()
        let all = try logins(nodes, refreshes: 30)
        #expect(try denied(nodes) == "0")
        for one in all { #expect(try (0...1).map { try nodes.bearer($0, one.access) } == [200, 200]) }
        let form = "token=\(all[30].refresh)"
        let revoked = try nodes.gateways[1].request(
            "POST", "/oauth2/revoke",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"], body: form)
        #expect(revoked.status == 200)
        #expect(try denied(nodes) == "1")
        #expect(
            try nodes.isSoWithinASecond { try all.allSatisfy { try nodes.bearer(0, $0.access) == 401 } })
        #expect(try nodes.gateways[0].metrics().sum("portcullis_revocations") == 1)
    }

    @Test("the administrator's revocation of an earlier access token ends its login")
    func administrator() throws {
        let nodes = try nodes()
        let all = try logins(nodes, refreshes: 2)
        let id = try #require(JSONWebToken(all[0].access).claims["jti"].string)
        try nodes.admin(0, "POST", "/admin/revocations", #"{"jti": "\#(id)"}"#)
        #expect(try nodes.waitUntil { try nodes.bearer(1, all[2].access) == 401 })
        #expect(
            try nodes.grant(nodes.gateways[1], "grant_type=refresh_token&refresh_token=\(all[2].refresh)").status
                == 400)
    }

    @Test("eight refreshes at once over four gateways get one pair, and the login goes on")
    func races() throws {
        let nodes = try SharedStoreNodes(4) {
            $0["backends"] = StandardsTests.backends().replacing(
                #""refreshTokens": true,"#, with: #""refreshTokens": true, "refreshReuseInterval": "60s","#)
        }
        var token = try pair(nodes.login(0)).refresh
        let fields: [Field] = [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"]
        let connections = try (0..<8).map { try nodes.gateways[$0 % 4].connect() }
        for round in 0..<20 {
            let body = "grant_type=refresh_token&refresh_token=\(token)"
            // All are on the way before any is answered.
            for connection in connections {
                try connection.send(RawConnection.request("POST", "/oauth2/token", fields, body: body))
            }
            let answers = try connections.map { try $0.readResponse(to: "POST") }
            #expect(answers.allSatisfy { $0.status == 200 }, "round \(round)")
            #expect(Set(answers.map(\.text)).count == 1, "round \(round)")
            token = try pair(answers[0]).refresh
        }
        #expect(try denied(nodes) == "0")
    }

    @Test("without an interval, one of eight refreshes at once gets a pair, and its login goes on", arguments: [1, 4])
    func racesWithoutInterval(_ count: Int) throws {
        let nodes = try SharedStoreNodes(count) { $0["backends"] = StandardsTests.backends() }
        let fields: [Field] = [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"]
        let connections = try (0..<8).map { try nodes.gateways[$0 % count].connect() }
        // A gateway that reads its request only after the answer of another cannot see the race.
        let deadline = Deadline.usual
        var goesOn = false
        while !goesOn {
            try #require(!deadline.isPast)
            let token = try pair(nodes.login(0)).refresh
            let body = "grant_type=refresh_token&refresh_token=\(token)"
            for connection in connections {
                try connection.send(RawConnection.request("POST", "/oauth2/token", fields, body: body))
            }
            let answers = try connections.map { try $0.readResponse(to: "POST") }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.status == 400 }.count == 7)
            let next = try pair(#require(answers.first { $0.status == 200 })).refresh
            goesOn =
                try nodes.gateways[0].request(
                    "POST", "/oauth2/token", fields, body: "grant_type=refresh_token&refresh_token=\(next)"
                ).status == 200
        }
    }
}

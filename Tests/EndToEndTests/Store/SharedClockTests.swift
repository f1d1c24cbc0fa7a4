import Foundation
import TestSupport
import Testing

/// Gateways on one Redis server whose clocks differ: they go by the clock of the server.
@Suite struct SharedClockTests {
    private func revoke(_ subject: String, at nodes: SharedStoreNodes, _ way: Way) throws {
        switch way {
        case .revocation: try nodes.admin(0, "POST", "/admin/revocations", #"{"subject": "\#(subject)"}"#)
        case .tokens: try nodes.admin(0, "DELETE", "/admin/tokens?subject=\(subject)")
        case .disabling:
            try nodes.admin(0, "PATCH", "/admin/users/\(subject)", #"{"enabled": false}"#)
            try nodes.admin(0, "PATCH", "/admin/users/\(subject)", #"{"enabled": true}"#)
            // Wrong passwords count against the user.
            _ = try #require(nodes.gateways[1].waitForEvent("account_restored"))
        }
    }

    enum Way: CaseIterable { case revocation, tokens, disabling }

    @Test(
        "a revocation covers tokens of a gateway whose clock is ahead, and no later ones",
        arguments: [4, -4, 50] as [Int64], Way.allCases)
    func revocation(_ ahead: Int64, _ way: Way) throws {
        let nodes = try SharedStoreNodes(clocks: [nil, SteppedClock(seconds: ahead)])
        let token = try nodes.token(1)
        let issued = try #require(JSONWebToken(token).claims["iat"].integer)
        #expect(abs(TimeInterval(issued) - Date().timeIntervalSince1970) < 3)
        #expect(try nodes.bearer(0, token) == 200 && nodes.bearer(1, token) == 200)
        try revoke("joe", at: nodes, way)
        #expect(try nodes.bearer(0, token) == 401)
        #expect(try nodes.waitUntil { try nodes.bearer(1, token) == 401 })
        for node in 0...1 {
            let later = try nodes.token(node)
            #expect(try nodes.bearer(0, later) == 200 && nodes.bearer(1, later) == 200)
        }
        let event = try #require(nodes.gateways[1].waitForEvent("clock_corrected"))
        #expect(abs((event["milliseconds"].integer ?? 0) + Int(ahead) * 1000) < 500)
        let correction = try #require(try nodes.gateways[1].metrics().sum("portcullis_clock_correction_seconds"))
        #expect(abs(correction + Double(ahead)) < 0.5)
        #expect(nodes.gateways[0].events("clock_corrected").isEmpty)
    }

    @Test(
        "a revocation covers tokens issued before the server's clock was set back", arguments: Way.allCases)
    func serverGoesBack(_ way: Way) throws {
        let clock = try SteppedClock(seconds: 30)
        let nodes = try SharedStoreNodes(serverClock: clock)
        let token = try nodes.token(1)
        let issued = try #require(JSONWebToken(token).claims["iat"].integer)
        #expect(abs(TimeInterval(issued) - Date().timeIntervalSince1970 - 30) < 3)
        try clock.step(to: 0)
        for gateway in nodes.gateways {
            #expect(nodes.waitUntil { gateway.events("clock_corrected").count == 2 })
        }
        try revoke("joe", at: nodes, way)
        #expect(try nodes.waitUntil { try nodes.bearer(0, token) == 401 && nodes.bearer(1, token) == 401 })
        // Also when that second has come.
        try clock.step(to: 32)
        for gateway in nodes.gateways {
            #expect(nodes.waitUntil { gateway.events("clock_corrected").count == 3 })
        }
        #expect(try nodes.bearer(0, token) == 401 && nodes.bearer(1, token) == 401)
        let later = try nodes.token(0, "ann", "Welcome2")
        #expect(try nodes.waitUntil { try nodes.bearer(0, later) == 200 && nodes.bearer(1, later) == 200 })
    }

    @Test("a clock difference of more than a minute is not corrected, but logged")
    func refused() throws {
        let clock = try SteppedClock(seconds: 3600)
        let nodes = try SharedStoreNodes(clocks: [nil, clock])
        let event = try #require(nodes.gateways[1].waitForEvent("clock_correction_refused"))
        #expect(abs((event["milliseconds"].integer ?? 0) + 3_600_000) < 5000)
        let issued = try #require(JSONWebToken(nodes.token(1)).claims["iat"].integer)
        #expect(abs(TimeInterval(issued) - Date().timeIntervalSince1970 - 3600) < 5)
        // It is set right while the gateway runs.
        try clock.step(to: 0)
        #expect(
            try nodes.waitUntil {
                let token = try nodes.token(1)
                return try nodes.bearer(0, token) == 200
            })
    }
}

import Foundation
import Testing

/// A wall clock that is set while the gateway runs: it must not lock users out.
@Suite struct SteppedClockTests {
    /// The gateway, and its clock.
    private struct Setup {
        let clock: SteppedClock
        let fixture: Fixture

        init(_ change: (inout FixtureSettings) -> Void) throws {
            clock = try SteppedClock()
            fixture = try Fixture(environment: clock.environment, change)
        }

        func grant(_ password: String) throws -> Response {
            try fixture.grant("grant_type=password&username=joe&password=\(password)")
        }

        /// How far the clock of the gateway is from ours.
        func difference() throws -> TimeInterval {
            let token = try fixture.token("ann")
            let made = try #require(JSONWebToken(token).claims["iat"].integer)
            return TimeInterval(made) - Date().timeIntervalSince1970
        }
    }

    private func until(_ deadline: Deadline = .usual, _ condition: () throws -> Bool) throws {
        while try !condition() { try #require(!deadline.isPast, "it did not come to that") }
    }

    @Test("the login throttle is unaffected by steps of the wall clock", arguments: [-400, -3600] as [Int64])
    func loginThrottleSurvivesClockSteps(_ step: Int64) throws {
        let setup = try Setup {
            $0["passwords"] = #"{"throttle": {"failuresPerUser": 2, "per": "4s"}}"#
        }
        func useUp() throws {
            try until { try setup.grant("wrong").status == 429 }
        }
        try useUp()
        try setup.clock.step(to: step)
        #expect(abs(try setup.difference() - TimeInterval(step)) < 5)
        // What was used up comes back by the time that passes, and no earlier.
        try useUp()
        try until { try setup.grant("Welcome1").status == 200 }
        // Tokens of the new time are good at the new time.
        #expect(try setup.fixture.request("GET", "/inventory/me", [.bearer(setup.fixture.token("ann"))]).status == 200)
    }

    @Test("tokens expire by the wall clock")
    func tokensEndByTheWallClock() throws {
        let setup = try Setup { $0["tokenService"] = #"{"userTokenSeconds": 600}"# }
        let token = try setup.fixture.token("joe")
        func status() throws -> Int { try setup.fixture.request("GET", "/inventory/me", [.bearer(token)]).status }
        #expect(try status() == 200)
        try setup.clock.step(to: 601)
        try until { try status() == 401 }
        try setup.clock.step(to: 0)
        try until { try status() == 200 }
    }
}

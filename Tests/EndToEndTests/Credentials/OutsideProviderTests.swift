import Foundation
import Testing

/// JWT-30 to JWT-34 against an OIDC provider that others wrote, under load while its keys change and while it is away.
/// Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: OutsideProvider.python != nil)) struct OutsideProviderTests {
    private static let rotations = 6
    private static let minimum = 1
    private static let maximum = 3
    /// After that many seconds no token of a key that was taken back is accepted: the longest time between two fetches,
    /// one between two looks at the clock, and one for a busy machine.
    private static let bound = Duration.seconds(maximum + 2)
    /// How long a key is published before it signs: then there has been a fetch since, or there may be one at once.
    private static let lead = Duration.seconds(minimum + 1)

    @Test("six key rotations and an outage of the provider under load cause no refused valid token")
    func rotationUnderLoad() throws {
        let provider = try OutsideProvider()
        let fixture = try Fixture {
            let entry = provider.entry(
                #""minReloadInterval": "\#(Self.minimum)s", "maxReloadInterval": "\#(Self.maximum)s""#)
            $0["trustedIssuers"] = FixtureSettings.list([entry])
        }
        let began = ContinuousClock.now
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        let tokens = OutsideTokens(bound: Self.bound)
        tokens.add(try provider.token())
        let load = try OutsideLoad(fixture.gateway, provider, tokens)
        #expect(load.wait { $0.good > 100 })

        for round in 0..<Self.rotations {
            // Half of the time a client invents names of keys.
            if round == Self.rotations / 2 { load.inventNames() }
            let old = try #require(tokens.newest)
            let new = try provider.publish()
            load.goOn(for: Self.lead)
            try provider.sign()
            #expect(load.wait { $0.goodByKey[new, default: 0] > 100 }, "no token of the new key in round \(round)")
            tokens.end(old)
            try provider.drop()
        }
        #expect(load.wait { $0.ended.count == Self.rotations })
        #expect(load.wait { $0.invented > 1000 })

        try outage(provider, fixture, load)

        let tally = load.stop()
        #expect(tally.refused.isEmpty, "\(tally.refused.prefix(5))")
        #expect(tally.outlived.isEmpty, "\(tally.outlived.prefix(5))")
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
        #expect(tally.good > 2000, "\(tally.good)")
        // JWT-33: for any tokens, no more than one fetch in `minReloadInterval`.
        let seconds = Int((ContinuousClock.now - began).components.seconds) + 2
        let metrics = try fixture.gateway.metrics()
        let fetches = try #require(metrics.sum("portcullis_issuer_key_fetches_total", ["issuer": "outside"]))
        #expect(Int(fetches) <= seconds / Self.minimum, "\(fetches) fetches in \(seconds) s")
        let asked = try provider.fetches()
        #expect(asked.keys <= Int(fetches) && asked.discovery <= Int(fetches), "\(asked)")
        print(
            "outside provider: \(tally.good) good tokens accepted, \(tally.refused.count) refused,",
            "\(tally.invented) invented names, \(Int(fetches)) fetches in \(seconds) s")
    }

    /// What is known goes on; what cannot be known is 503, and never 401.
    private func outage(_ provider: OutsideProvider, _ fixture: Fixture, _ load: OutsideLoad) throws {
        load.mint(false)
        _ = try provider.publish()
        try provider.sign()
        let failures = fixture.gateway.events("keys_failed").count
        let unknown = try provider.token()
        load.away(true)
        try provider.goAway()
        _ = try #require(fixture.gateway.waitForEvent("keys_failed", skipping: failures))
        let connection = try fixture.connect()
        let before = load.current
        for _ in 0..<200 {
            let response = try connection.exchange("GET", "/plain", [.bearer(unknown)])
            #expect(response.status == 503 && JSONText(response.text)["code"].string == "keys_unavailable")
        }
        #expect(load.wait { $0.good > before.good + 200 })
        #expect(try fixture.admin("GET", "/readyz").status == 200)
        try provider.comeBack()
        let deadline = Deadline.usual
        var status = 503
        while status == 503, !deadline.isPast {
            status = try connection.exchange("GET", "/plain", [.bearer(unknown)]).status
        }
        #expect(status == 200)
        load.away(false)
        load.mint(true)
        #expect(load.goesOn())
    }
}

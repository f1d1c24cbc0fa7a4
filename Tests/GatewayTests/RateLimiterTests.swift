import HTTP
import Identity
import Model
import Testing

@testable import Gateway

/// Issue B: request-rate limits per route, principal and address. Time is an argument, in milliseconds.
@Suite struct RateLimiterTests {
    private func limit(_ requests: Int, per: Int64 = 1000, burst: Int, _ key: RateLimitKey = .address) -> RateLimit {
        RateLimit(name: "test", requests: requests, perMilliseconds: per, burst: burst, key: key)
    }

    private func address(_ number: Int) -> IPAddress { IPAddress(v4: UInt32(truncatingIfNeeded: number)) }

    @Test func aBurstIsLetThroughAndThenTheRate() {
        let limiter = RateLimiter(limit(10, burst: 5, .route))
        #expect((0..<7).map { _ in limiter.admit(now: 5000) } == [0, 0, 0, 0, 0, 100, 100])
        #expect(limiter.admit(now: 5099) == 1)
        #expect(limiter.admit(now: 5100) == 0)
        #expect(limiter.admit(now: 5100) == 100)
        // A rest fills the bucket up to the burst, and no further.
        #expect((0..<6).map { _ in limiter.admit(now: 9_999_000) } == [0, 0, 0, 0, 0, 100])
    }

    @Test(arguments: [(1, 60_000, 1), (3, 1000, 1), (7, 1000, 20), (5000, 1000, 50), (1, 86_400_000, 2)])
    func inTheLongRunExactlyTheRatePasses(_ requests: Int, _ per: Int64, _ burst: Int) {
        let limiter = RateLimiter(limit(requests, per: per, burst: burst, .route))
        let step = max(1, per / Int64(requests) / 20)
        var (passed, now) = (0, Int64(0))
        while now < 50 * per, passed < 20_000 {
            while limiter.admit(now: now) == 0 { passed += 1 }
            now += step
        }
        let fair = Double(now) / Double(per) * Double(requests)
        #expect(Double(passed) <= fair + Double(burst) + 1)
        #expect(Double(passed) >= fair * 0.9 - 1)
    }

    @Test func whoWaitsAsToldIsLetThrough() {
        let limiter = RateLimiter(limit(7, burst: 3, .route))
        var now: Int64 = 1
        for _ in 0..<100 {
            let wait = limiter.admit(now: now)
            if wait > 0 {
                #expect(limiter.admit(now: now + wait) == 0)
            }
            now += 13
        }
    }

    @Test func addressesAreCountedApartAndIPv6ByNetwork() {
        let limiter = RateLimiter(limit(1, burst: 2))
        let first = address(1)
        #expect((0..<3).map { _ in limiter.admit(first, now: 0) == 0 } == [true, true, false])
        #expect(limiter.admit(address(2), now: 0) == 0)
        let network: UInt64 = 0x2001_0db8_0000_0001
        #expect((0..<3).map { limiter.admit(IPAddress(high: network, low: $0), now: 0) == 0 } == [true, true, false])
        #expect(limiter.admit(IPAddress(high: network + 1, low: 0), now: 0) == 0)
    }

    @Test func principalsAreCountedApart() {
        let catalogue = RoleCatalogue([])
        func principal(_ subject: String, _ issuer: String, _ kind: Principal.Kind = .user) -> Principal {
            Principal(
                kind: kind, method: .bearer, subject: subject, issuer: issuer, backendID: nil,
                roles: RoleSet(),
                catalogue: catalogue, level: 2)
        }
        let limiter = RateLimiter(limit(1, burst: 1, .principal))
        for caller in [
            principal("joe", "local"), principal("joe", "other"), principal("ann", "local"),
            principal("joe", "local", .client),
        ] {
            #expect(limiter.admit(caller, now: 0) == 0)
            #expect(limiter.admit(caller, now: 0) == 1000)
        }
        #expect(limiter.admit(principal("joe", "local"), now: 0) == 1000)
    }

    @Test func theLimitHoldsOverAllWorkers() async {
        let limiter = RateLimiter(limit(1, per: 60_000, burst: 1000))
        let passed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<1000).count { _ in limiter.admit(IPAddress(v4: 7), now: 10) == 0 }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(passed == 1000)
    }

    // MARK: Bounded memory

    @Test func aFloodOfAddressesDoesNotRefillTheBucketOfAnAttacker() {
        // 128 places; ten thousand addresses in between each two tries of the attacker.
        let limiter = RateLimiter(limit(10, burst: 5), capacity: 128)
        let attacker = address(1_000_000)
        var (passed, now) = (0, Int64(0))
        for round in 0..<200 {
            for other in 0..<500 { _ = limiter.admit(address(round * 500 + other), now: now) }
            for _ in 0..<20 where limiter.admit(attacker, now: now) == 0 { passed += 1 }
            now += 50
        }
        // 10 seconds at 10 a second, and the burst: not one more for all the noise.
        #expect(passed <= 100 + 5)
    }

    @Test func allAddressesTogetherGetNoMoreThanThePlacesAllow() {
        let limiter = RateLimiter(limit(1, burst: 3), capacity: 128)
        var passed = 0
        for caller in 0..<50_000 where limiter.admit(address(caller), now: 0) == 0 { passed += 1 }
        #expect(passed <= 128 * 3)
        #expect(passed >= 128)
    }

    @Test func fullBucketsAreForgottenWithoutHarm() {
        let limiter = RateLimiter(limit(1, burst: 1), capacity: 4096)
        for caller in 0..<50_000 { _ = limiter.admit(address(caller), now: 0) }
        // A second later all are full again, and all clients are new.
        for caller in 60_000..<60_060 { #expect(limiter.admit(address(caller), now: 1000) == 0) }
    }

    @Test func aRegularCallerKeepsHisBucketAmongMany() {
        let limiter = RateLimiter(limit(100, burst: 100))
        let regular = address(42)
        for round in 0..<1000 {
            _ = limiter.admit(address(1000 + round), now: 0)
            #expect(limiter.admit(regular, now: Int64(round) * 10) == 0)
        }
    }

    // MARK: Reload

    @Test func anUnchangedLimitIsTheSameLimiterAfterAReload() {
        let limiters = RateLimiters()
        let (first, second) = (limit(1, burst: 1), limit(2, burst: 1))
        let limiter = limiters.limiter(first)
        #expect(limiters.limiter(first) === limiter)
        #expect(limiters.limiter(second) !== limiter)
        limiters.keep(only: [first])
        #expect(limiters.limiter(first) === limiter)
    }
}

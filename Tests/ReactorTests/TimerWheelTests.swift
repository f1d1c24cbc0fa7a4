import TestSupport
import Testing

@testable import Reactor

@Suite struct TimerWheelTests {
    static func token(_ number: Int) -> TimerToken { TimerToken(role: 1, owner: number, generation: 0) }

    /// What is due at `now`, by number.
    static func due(_ wheel: TimerWheel, at now: Int64) -> [Int] {
        wheel.advance(to: now)
        var numbers: [Int] = []
        while let token = wheel.next() { numbers.append(token.owner) }
        return numbers.sorted()
    }

    @Test func aTimerIsNeverEarlyAndAtMostOneSlotLate() {
        for start: Int64 in [0, 1, 31, 32, 1_000_003] {
            for delay: Int64 in [0, 1, 31, 32, 33, 1000, 32_767, 32_768, 32_769, 100_000] {
                let wheel = TimerWheel(at: start)
                let deadline = start + delay
                wheel.schedule(Self.token(7), at: deadline)
                if delay > 0 { #expect(Self.due(wheel, at: deadline - 1).isEmpty, "\(start) + \(delay)") }
                #expect(Self.due(wheel, at: deadline + TimerWheel.resolution) == [7], "\(start) + \(delay)")
                #expect(wheel.isEmpty)
            }
        }
    }

    @Test func aDeadlineInThePastIsDueInTheNextSlot() {
        for deadline: Int64 in [0, -1, .min / 2, 4_999, 5_000] {
            let wheel = TimerWheel(at: 5_000)
            wheel.schedule(Self.token(1), at: deadline)
            #expect(Self.due(wheel, at: 5_000 + TimerWheel.resolution) == [1])
        }
    }

    @Test func theFarthestDeadlineDoesNotOverflow() {
        let wheel = TimerWheel(at: 5_000)
        wheel.schedule(Self.token(1), at: .max)
        #expect(Self.due(wheel, at: 1_000_000).isEmpty)
        #expect(wheel.sleepLimit(at: 1_000_000) > 0)
        #expect(!wheel.isEmpty)
    }

    @Test func theSleepEndsWhenTheNextTimerIsDue() {
        let wheel = TimerWheel(at: 1_000)
        #expect(wheel.sleepLimit(at: 1_000) == -1)
        wheel.schedule(Self.token(1), at: 4_000)
        wheel.schedule(Self.token(2), at: 1_500)
        let limit = Int64(wheel.sleepLimit(at: 1_000))
        #expect(limit >= 500 && limit <= 500 + TimerWheel.resolution)
        // After a sleep for as long as it says the timer is due, wherever in a slot the sleep began.
        #expect(Self.due(wheel, at: 1_000 + limit) == [2])
        wheel.schedule(Self.token(3), at: 1_600)
        wheel.advance(to: 1_700)
        #expect(wheel.sleepLimit(at: 1_700) == 0)
    }

    /// A clock that jumps over more than a turn of the ring (a suspended machine) loses no timer and repeats none.
    @Test func aLongStopLosesNothing() {
        let wheel = TimerWheel(at: 0)
        for number in 0..<3_000 { wheel.schedule(Self.token(number), at: Int64(number) * 40) }
        #expect(Self.due(wheel, at: 10_000_000) == Array(0..<3_000))
        #expect(wheel.isEmpty)
        #expect(Self.due(wheel, at: 20_000_000).isEmpty)
    }

    /// A crowd in one slot after the other takes the memory of one crowd (GW-15): slots that kept their room would keep
    /// that of a thousand.
    @Test func roomIsKeptForAsManyAsThereWereAtOnce() {
        let wheel = TimerWheel(at: 0)
        for now in stride(from: Int64(0), to: 3 * 1024 * TimerWheel.resolution, by: Int(TimerWheel.resolution)) {
            for number in 0..<100 { wheel.schedule(Self.token(number), at: now) }
            #expect(Self.due(wheel, at: now + TimerWheel.resolution) == Array(0..<100))
        }
        #expect(wheel.places == 100)
    }

    @Test func aClockThatStandsOrGoesBackChangesNothing() {
        let wheel = TimerWheel(at: 10_000)
        wheel.schedule(Self.token(1), at: 10_100)
        #expect(Self.due(wheel, at: 9_000).isEmpty)
        #expect(Self.due(wheel, at: 10_000).isEmpty)
        #expect(Self.due(wheel, at: 10_132) == [1])
    }

    /// Against a list that is searched: the same timers at the same time, give or take the length of a slot.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func behavesLikeAList(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var now = Int64.random(in: 0..<10_000_000, using: &random)
        let wheel = TimerWheel(at: now)
        var pending: [Int: Int64] = [:]
        for step in 0..<2_000 {
            if Bool.random(using: &random) {
                let spread: Int64 = [10, 1_000, 40_000, 200_000][Int.random(in: 0..<4, using: &random)]
                let deadline = now + Int64.random(in: -spread / 10...spread, using: &random)
                wheel.schedule(Self.token(step), at: deadline)
                pending[step] = deadline
                continue
            }
            let limit = wheel.sleepLimit(at: now)
            #expect((limit == -1) == pending.isEmpty)
            if let nearest = pending.values.min() {
                #expect(Int64(limit) <= max(nearest - now, 0) + TimerWheel.resolution * 2)
            }
            now += Int64.random(in: 0...[5, 100, 50_000][Int.random(in: 0..<3, using: &random)], using: &random)
            for number in Self.due(wheel, at: now) {
                guard let deadline = pending.removeValue(forKey: number) else {
                    Issue.record("timer \(number) came twice")
                    continue
                }
                #expect(deadline <= now)
            }
            let late = pending.filter { $0.value + TimerWheel.resolution * 2 <= now }
            // A timer whose deadline had passed when it was set is due in the slot behind that.
            #expect(late.allSatisfy { $0.key > step - 100 }, "\(late) at \(now)")
            #expect(wheel.count == pending.count)
        }
    }
}

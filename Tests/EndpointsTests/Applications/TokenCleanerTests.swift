import Identity
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// The daily deletion of expired pairs (AOM-23).
@Suite struct TokenCleanerTests {
    static let midnight: Int64 = 1_700_006_400

    @Test("a run is due at start, then once at each 04:00, also when clocks go back")
    func schedule() {
        let schedule = Asked(CleaningSchedule(minuteOfDay: 240))
        let day: Int64 = 86_400
        #expect(schedule.isDue(now: Self.midnight, secondsEast: 0))
        #expect(!schedule.isDue(now: Self.midnight + 4 * 3600 - 1, secondsEast: 0))
        #expect(schedule.isDue(now: Self.midnight + 4 * 3600, secondsEast: 0))
        #expect(!schedule.isDue(now: Self.midnight + 4 * 3600 + 1, secondsEast: 0))
        #expect(!schedule.isDue(now: Self.midnight + 3600, secondsEast: 0))
        #expect(!schedule.isDue(now: Self.midnight + day + 4 * 3600 - 1, secondsEast: 0))
        #expect(schedule.isDue(now: Self.midnight + day + 4 * 3600, secondsEast: 0))
        // A machine that slept over several days makes one run of them.
        #expect(schedule.isDue(now: Self.midnight + 9 * day, secondsEast: 0))
        #expect(!schedule.isDue(now: Self.midnight + 9 * day + 60, secondsEast: 0))
    }

    @Test("the schedule follows local time, east and west of Greenwich", arguments: [(7200, 2), (-18_000, 9)])
    func localTime(_ east: Int, _ hourOfUTC: Int) {
        let schedule = Asked(CleaningSchedule(minuteOfDay: 240))
        _ = schedule.isDue(now: Self.midnight - 86_400, secondsEast: Int64(east))
        _ = schedule.isDue(now: Self.midnight + Int64(hourOfUTC) * 3600 - 1, secondsEast: Int64(east))
        #expect(schedule.isDue(now: Self.midnight + Int64(hourOfUTC) * 3600, secondsEast: Int64(east)))
    }

    @Test("Y13: expired pairs are removed in batches; pairs with a valid token stay")
    func cleansInBatches() {
        let store = MemoryTokenStore()
        for number in 0..<1234 {
            var record = TokenRecord(
                id: "id\(number)", kind: .pair, application: "a", subject: "u\(number)", tokenID: "t\(number)",
                accessExpiresAt: 60, issuedAt: 0)
            record.refreshDigest = Apps.digestKey.digest("r\(number)")
            record.refreshExpiresAt = number < 1200 ? 120 : 1000
            store.perform(.insert(record), now: 0) { _ in }
        }
        let batches = Mutex(0)
        let cleaner = TokenCleaner { work in
            batches.withLock { $0 += 1 }
            work()
        }
        cleaner.use(store, minuteOfDay: 240)
        let counts = Mutex<[Int]>([])
        cleaner.run(now: 70) { result in counts.withLock { $0.append((try? result.get()) ?? -1) } }
        cleaner.run(now: 120) { result in counts.withLock { $0.append((try? result.get()) ?? -1) } }
        #expect(counts.withLock { $0 } == [0, 1200])
        #expect(batches.withLock { $0 } == 2)
        #expect(cleaner.record == TokenCleaner.Record(lastRun: 120, deleted: 1200))
    }

    @Test("a missed run is made at start; a reload with the same time does not run again")
    func runsAtStart() {
        let cleaner = TokenCleaner { $0() }
        cleaner.tick(now: 1, secondsEast: 0)
        #expect(cleaner.record.lastRun == 0)
        cleaner.use(MemoryTokenStore(), minuteOfDay: 240)
        cleaner.tick(now: Self.midnight, secondsEast: 0)
        #expect(cleaner.record.lastRun == Self.midnight)
        cleaner.use(MemoryTokenStore(), minuteOfDay: 240)
        cleaner.tick(now: Self.midnight + 1, secondsEast: 0)
        #expect(cleaner.record.lastRun == Self.midnight)
        cleaner.use(MemoryTokenStore(), minuteOfDay: nil)
        cleaner.tick(now: Self.midnight + 200_000, secondsEast: 0)
        #expect(cleaner.record.lastRun == Self.midnight)
    }

    @Test("a failing store is reported, and the run not recorded")
    func storeIsDown() {
        let cleaner = TokenCleaner { $0() }
        cleaner.use(SilentStore(), minuteOfDay: nil)
        let failed = Mutex(false)
        cleaner.run(now: 5) { result in failed.withLock { $0 = result.failure == .unavailable } }
        #expect(failed.withLock { $0 })
        #expect(cleaner.record.lastRun == 0)
    }
}

/// A schedule in a box: what changes can't be asked inside an expectation.
private final class Asked {
    private var schedule: CleaningSchedule
    init(_ schedule: CleaningSchedule) { self.schedule = schedule }
    func isDue(now: Int64, secondsEast: Int64) -> Bool { schedule.isDue(now: now, secondsEast: secondsEast) }
}

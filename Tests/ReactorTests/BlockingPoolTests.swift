import Dispatch
import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Reactor

@Suite struct BlockingPoolTests {
    /// Work that stands still until the test lets it go.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)

        func pass() {
            begun.signal()
            semaphore.wait()
        }
        func awaitBegin() { begun.wait() }
        func open(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }
    }

    @Test func runsNoMoreThanItsWidthAtATime() {
        let pool = BlockingPool(width: 3, limit: 1_000)
        let running = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let group = DispatchGroup()
        for _ in 0..<300 {
            group.enter()
            let accepted = pool.submit {
                let now = running.add(1, ordering: .sequentiallyConsistent).newValue
                _ = most.max(now, ordering: .sequentiallyConsistent)
                running.subtract(1, ordering: .sequentiallyConsistent)
                group.leave()
            }
            #expect(accepted)
        }
        group.wait()
        let (atMost, atEnd) = (
            most.load(ordering: .sequentiallyConsistent), running.load(ordering: .sequentiallyConsistent)
        )
        #expect(atMost <= 3)
        #expect(atEnd == 0)
    }

    @Test func refusesWhatFindsNoPlaceAndRunsTheRestInOrder() {
        let pool = BlockingPool(width: 1, limit: 3)
        let gate = Gate()
        let order = Mutex<[Int]>([])
        let group = DispatchGroup()
        #expect(pool.submit { gate.pass() })
        gate.awaitBegin()
        for number in 0..<3 {
            group.enter()
            #expect(
                pool.submit {
                    order.withLock { $0.append(number) }
                    group.leave()
                })
        }
        #expect(pool.waiting == 3)
        #expect(!pool.submit { order.withLock { $0.append(99) } })
        gate.open()
        group.wait()
        #expect(order.withLock { $0 } == [0, 1, 2])
        #expect(pool.waiting == 0)
    }

    @Test func aFullQueueMakesRoomForPartiesThatHaveLess() {
        let pool = BlockingPool(width: 1, limit: 4)
        let gate = Gate()
        let order = Mutex<[String]>([])
        let dropped = Mutex<[String]>([])
        let wanted = Atomic<Bool>(true)
        let group = DispatchGroup()
        func submit(_ name: String, _ address: String, priority: Int = 1) -> Bool {
            group.enter()
            let accepted = pool.submit(
                BlockingPool.Job(
                    of: IPAddress(address), priority: priority,
                    isWanted: { name != "leaving" || wanted.load(ordering: .relaxed) },
                    drop: {
                        dropped.withLock { $0.append(name) }
                        group.leave()
                    },
                    run: {
                        order.withLock { $0.append(name) }
                        group.leave()
                    }))
            if !accepted { group.leave() }
            return accepted
        }
        #expect(pool.submit { gate.pass() })
        gate.awaitBegin()
        for number in 0..<3 { #expect(submit("a\(number)", "192.0.2.1")) }
        #expect(submit("leaving", "192.0.2.2"))
        #expect(!submit("a3", "192.0.2.1"))
        #expect(submit("c0", "192.0.2.3"))
        #expect(dropped.withLock(\.self) == ["a2"])
        wanted.store(false, ordering: .relaxed)
        #expect(submit("d0", "192.0.2.4"))
        #expect(dropped.withLock(\.self) == ["a2", "leaving"])
        #expect(submit("known", "192.0.2.1", priority: 0))
        #expect(dropped.withLock(\.self) == ["a2", "leaving", "a1"])
        gate.open()
        group.wait()
        #expect(order.withLock(\.self) == ["known", "a0", "c0", "d0"])
    }

    /// What has taken long so far lets fewer wait.
    @Test func theQueueIsAsLongAsItsPatience() {
        let pool = BlockingPool(width: 1, limit: 100, patience: 100)
        let done = DispatchSemaphore(value: 0)
        #expect(
            pool.submit {
                let begun = Clock.monotonicMilliseconds
                while Clock.monotonicMilliseconds < begun + 20 {}
                done.signal()
            })
        done.wait()
        let gate = Gate()
        while !pool.submit({ gate.pass() }) {}
        gate.awaitBegin()
        // The mean is known once the first piece has left its place, and on a busy machine it is longer.
        let waiting = (0..<100).prefix { _ in pool.submit {} }.count
        #expect((4...5).contains(waiting), "\(waiting)")
        gate.open()
    }

    @Test func takesWorkAgainAfterItWasFull() {
        let pool = BlockingPool(width: 2, limit: 1)
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<50 {
            let gate = Gate()
            for _ in 0..<2 {
                // A piece leaves its place a moment after its last line has run.
                while !pool.submit({
                    gate.pass()
                    done.signal()
                }) {}
                gate.awaitBegin()
            }
            #expect(pool.submit { done.signal() })
            #expect(!pool.submit {})
            gate.open(2)
            for _ in 0..<3 { done.wait() }
        }
    }

    /// The number that stands behind the name of a thread of this process, counted as proc(5) does, from 3.
    private static func statistic(_ number: Int, _ path: String) -> Int? {
        guard let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile() else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return number - 3 < fields.count ? Int(fields[number - 3]) : nil
    }

    /// A flood of guesses is hashed with what is left of the processors (issue C, "must show" 6).
    @Test func itsThreadsStandBackBehindTheOthers() throws {
        let pool = BlockingPool(width: 2, limit: 10)
        let usual = try #require(Self.statistic(19, "/proc/thread-self/stat"))
        let found = Mutex<[Int?]>([])
        let done = DispatchSemaphore(value: 0)
        let gate = Gate()
        for _ in 0..<2 {
            #expect(
                pool.submit {
                    let niceness = Self.statistic(19, "/proc/thread-self/stat")
                    found.withLock { $0.append(niceness) }
                    gate.pass()
                    done.signal()
                })
        }
        for _ in 0..<2 { gate.awaitBegin() }
        gate.open(2)
        for _ in 0..<2 { done.wait() }
        let expected = min(19, usual + 10)
        #expect(found.withLock { $0 } == [expected, expected])
        #expect(Self.statistic(19, "/proc/thread-self/stat") == usual)
    }

    private static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            // It may end between the two.
            let data = try? FileHandle(forReadingAtPath: "/proc/self/task/\(task)/comm")?.readToEnd()
            return data.map { String(decoding: $0, as: UTF8.self) } == "\(name)\n"
        }
    }

    /// They begin with the work, are used again, and end with the pool and what it has taken.
    @Test func itsThreadsEndWithIt() {
        let name = "pool-\(UInt32.random(in: 0..<1_000_000))"
        var pool: BlockingPool? = BlockingPool(name: name, width: 2, limit: 10)
        #expect(Self.threads(named: name) == 0)
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<100 {
            #expect(pool?.submit { done.signal() } == true)
            done.wait()
        }
        #expect((1...2).contains(Self.threads(named: name)))
        let gate = Gate()
        #expect(pool?.submit { gate.pass() } == true)
        gate.awaitBegin()
        for _ in 0..<5 { #expect(pool?.submit { done.signal() } == true) }
        pool = nil
        gate.open()
        for _ in 0..<5 { done.wait() }
        let deadline = Clock.monotonicMilliseconds + 10_000
        while Self.threads(named: name) > 0, Clock.monotonicMilliseconds < deadline {}
        #expect(Self.threads(named: name) == 0)
    }

    /// How often the calling thread has given the processor away by itself.
    private static func pausesSoFar() throws -> Int {
        let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") })
        return try #require(Int(line.split(separator: "\t")[1]))
    }

    /// A hash that never yields must not hold a processor that a loop waits for until the kernel's next tick.
    @Test(arguments: [true, false]) func computingWorkPausesForOthers(computes: Bool) throws {
        let pool = BlockingPool(width: 1, limit: 1, computes: computes)
        let pauses = Mutex<Int?>(nil)
        let done = DispatchSemaphore(value: 0)
        let accepted = pool.submit {
            let before = try? Self.pausesSoFar()
            let time = ProcessorTime.ofThread
            while ProcessorTime.ofThread < time + .milliseconds(50) {}
            let after = try? Self.pausesSoFar()
            pauses.withLock { $0 = before.flatMap { before in after.map { $0 - before } } }
            done.signal()
        }
        #expect(accepted)
        done.wait()
        let counted = try #require(pauses.withLock { $0 })
        // Fifty milliseconds have a hundred pauses; a processor that others wait for leaves less time between them.
        #expect(computes ? counted >= 20 : counted < 20, "\(counted) pauses")
    }

    /// Something that work holds on to, such as a password.
    private final class Held: Sendable {
        let onEnd: @Sendable () -> Void
        init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
    }

    /// A queue that is never empty must not keep what it has run: neither the memory nor the secrets in it.
    @Test func lettingGoOfWorkDoesNotWaitForAnEmptyQueue() {
        let pool = BlockingPool(width: 1, limit: 10)
        let ended = Atomic<Int>(0)
        let gate = Gate()
        let total = 500
        #expect(pool.submit { gate.pass() })
        gate.awaitBegin()
        for number in 0..<total {
            // There is always one piece waiting behind the one that is let go.
            let held = Held { ended.add(1, ordering: .sequentiallyConsistent) }
            let accepted = pool.submit {
                gate.pass()
                _ = held.onEnd
            }
            #expect(accepted)
            if number > 0 {
                gate.open()
                gate.awaitBegin()
            }
        }
        // All but the last few have run; they must be gone although something waits.
        #expect(pool.waiting == 1)
        let gone = ended.load(ordering: .sequentiallyConsistent)
        #expect(gone >= total - 5)
        gate.open(3)
    }
}

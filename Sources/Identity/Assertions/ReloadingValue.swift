import Outbound
import Synchronization

/// A value that is read anew when requests need that, by one of them for all (JWT-04 to JWT-08). A reading that fails
/// leaves the last good value in place and counts.
package final class ReloadingValue<Value: Sendable>: Sendable {
    /// Reads the value somewhere else, and answers once, from any thread; nil where it could not be read.
    package typealias Reader = @Sendable (_ done: @escaping @Sendable (Value?) -> Void) -> Void

    private struct Contents {
        var value: Value
        var reload: ReloadState
        var waiting: [@Sendable () -> Void] = []
    }

    private let contents: Mutex<Contents>
    private let counter: ReloadFailures
    private let read: Reader

    /// - Parameters:
    ///   - loadedAt: when the value was read, in seconds since 1970.
    ///   - counter: where failures are counted.
    package init(_ value: Value, loadedAt: Int64, counter: ReloadFailures, read: @escaping Reader) {
        contents = Mutex(Contents(value: value, reload: ReloadState(attemptedAt: loadedAt)))
        self.counter = counter
        self.read = read
    }

    package var current: Value { contents.withLock { $0.value } }

    /// The value for one request: the one at hand, or another where the intervals say that it is to be read first.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - hit: whether what the request needs is in a value.
    package func value(
        now: Int64, intervals: @escaping @Sendable (Value) -> ReloadIntervals, hit: (Value) -> Bool
    ) -> Effect<Value> {
        let value = current
        let isHit = hit(value)
        let action = contents.withLock { contents in
            var probe = contents.reload
            return probe.ask(now: now, hit: isHit, intervals(value))
        }
        guard action != .use else { return .done(value) }
        return .await { [self] resume in
            fetch(now: now, intervals: intervals, isHit: isHit) { resume(.done(self.current)) }
        }
    }

    /// Starts a reading or joins one; `then` runs once the value is what it is going to be.
    private func fetch(
        now: Int64, intervals: (Value) -> ReloadIntervals, isHit: Bool, then: @escaping @Sendable () -> Void
    ) {
        let action = contents.withLock { contents in
            let action = contents.reload.ask(now: now, hit: isHit, intervals(contents.value))
            if action != .use { contents.waiting.append(then) }
            return action
        }
        switch action {
        case .use: then()
        case .join: break
        case .start: read { [self] in finish($0) }
        }
    }

    private func finish(_ fresh: Value?) {
        if fresh == nil { counter.add() }
        let waiting = contents.withLock { contents in
            if let fresh { contents.value = fresh }
            contents.reload.finish()
            let waiting = contents.waiting
            contents.waiting = []
            return waiting
        }
        for resume in waiting { resume() }
    }
}

/// How often the readings of one kind failed, over all configurations of a process.
package final class ReloadFailures: Sendable {
    private let counter = Atomic<UInt64>(0)

    package init() {}

    package var count: UInt64 { counter.load(ordering: .relaxed) }

    func add() { counter.add(1, ordering: .relaxed) }
}

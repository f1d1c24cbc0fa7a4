import Outbound
import Synchronization

/// A value that requests reload on demand, one reload at a time (JWT-04 to JWT-08). A failed reload keeps the last good
/// value and is counted.
package final class ReloadingValue<Value: Sendable>: Sendable {
    /// Reads the value asynchronously and completes once, from any thread; nil on failure.
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

    /// The value for one request: the current one, or a reloaded one if the intervals require it.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - hit: whether a value has what the request needs.
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

    /// Starts or joins a reload; `then` runs when it has ended.
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

/// Number of failed reloads of one kind, across all configurations of the process.
package final class ReloadFailures: Sendable {
    private let counter = Atomic<UInt64>(0)

    package init() {}

    package var count: UInt64 { counter.load(ordering: .relaxed) }

    func add() { counter.add(1, ordering: .relaxed) }
}

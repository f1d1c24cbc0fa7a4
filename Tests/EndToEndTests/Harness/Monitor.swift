import Foundation

/// A value shared by threads, with waiting for it to fulfil a condition.
final class Monitor<Value: Sendable>: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that `value` is touched only between lock and unlock.
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Reads or changes the value; every waiting thread then looks again.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    var current: Value { withLock { $0 } }

    /// Waits until `body` answers something, and returns that; nil when the deadline has passed.
    func wait<Result>(_ deadline: Deadline = .usual, for body: (inout Value) throws -> Result?) rethrows -> Result? {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        while true {
            if let result = try body(&value) { return result }
            if deadline.isPast { return nil }
            _ = condition.wait(until: Date(timeIntervalSinceNow: deadline.seconds))
        }
    }
}

/// A gate that a stub waits at until the test opens it.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() { isOpen.withLock { $0 = true } }

    /// Answers whether the gate was opened in time.
    @discardableResult
    func pass(_ deadline: Deadline = .after(.seconds(60))) -> Bool {
        isOpen.wait(deadline) { $0 ? true : nil } ?? false
    }
}

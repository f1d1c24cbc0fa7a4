import Dispatch
import Synchronization

/// A value that another thread delivers. One thread waits for it.
final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func fulfill(_ value: Value) {
        self.value.withLock { $0 = value }
        arrival.signal()
    }

    func wait() -> Value {
        while true {
            arrival.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// Nil if the value does not arrive in time.
    func wait(seconds: Int) -> Value? {
        _ = arrival.wait(timeout: .now() + .seconds(seconds))
        return value.withLock { $0 }
    }
}

import Dispatch
import Synchronization

/// A value that another thread brings.
final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        self.value.withLock { $0 = value }
        arrival.signal()
    }

    func take() -> Value {
        while true {
            arrival.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}

import Dispatch
import Identity
import Outbound
import Synchronization

extension Effect {
    /// The value, blocking work done at once.
    /// - Precondition: what is awaited answers at once, or within ten seconds from another thread.
    package func settled() -> Value {
        switch self {
        case .done(let value): return value
        case .offload(let work), .hash(_, let work): return work().settled()
        case .await(let begin):
            let next = Mutex<Effect<Value>?>(nil)
            let answered = DispatchSemaphore(value: 0)
            begin { effect in
                next.withLock {
                    precondition($0 == nil, "resumed twice")
                    $0 = effect
                }
                answered.signal()
            }
            // A concurrent attempt to log in, for instance.
            guard answered.wait(timeout: .now() + 10) == .success, let effect = next.withLock({ $0 }) else {
                preconditionFailure("nothing has answered yet")
            }
            return effect.settled()
        }
    }
}

/// A value, or the work needed to obtain it. Code that decides returns the work and neither blocks nor opens sockets;
/// the data plane performs it and parks the exchange meanwhile.
package indirect enum Effect<Value: Sendable>: Sendable {
    case done(Value)
    /// Work that takes milliseconds of CPU time (an RSA signature, an assertion), for the computing pool. It may read a
    /// file, but must not wait for anything else, because signals interrupt it.
    case offload(@Sendable () -> Effect<Value>)
    /// A slow password hash, which takes tens of milliseconds of CPU time. It has its own pool, so that only password
    /// checks wait for password checks.
    case hash(HashPriority = .standard, @Sendable () -> Effect<Value>)
    /// An asynchronous operation: a store, a call to another server, a key fetch. The call starts it on an event loop;
    /// it resumes once, from any thread, immediately or later.
    case await(@Sendable (_ resume: @escaping @Sendable (Effect<Value>) -> Void) -> Void)

    /// Chains another effect.
    package func then<Next: Sendable>(_ next: @escaping @Sendable (Value) -> Effect<Next>) -> Effect<Next> {
        switch self {
        case .done(let value): next(value)
        case .offload(let work): .offload { work().then(next) }
        case .hash(let priority, let work): .hash(priority) { work().then(next) }
        case .await(let begin): .await { resume in begin { resume($0.then(next)) } }
        }
    }

    package func map<Next: Sendable>(_ transform: @escaping @Sendable (Value) -> Next) -> Effect<Next> {
        then { .done(transform($0)) }
    }

    /// The answer of a service with a completion handler.
    package static func answer<Answer: Sendable>(
        of begin: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void,
        _ next: @escaping @Sendable (Answer) -> Effect<Value>
    ) -> Effect<Value> {
        .await { resume in begin { resume(next($0)) } }
    }
}

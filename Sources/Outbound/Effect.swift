/// A value, or what must be done before there is one. Whoever decides says what is needed and neither blocks nor opens a
/// socket; the data plane does it, and parks the exchange for as long as it takes.
package indirect enum Effect<Value: Sendable>: Sendable {
    case done(Value)
    /// Work that takes milliseconds of a processor (an RSA signature, an assertion), for the computing pool. It may read a
    /// file, and waits for nothing else: signals interrupt it.
    case offload(@Sendable () -> Effect<Value>)
    /// Work that takes a processor for tens of milliseconds, since it is a slow hash of a password. It has a pool of its
    /// own, so that nothing but passwords waits for passwords.
    case hash(@Sendable () -> Effect<Value>)
    /// Something that answers later: a store, a call to another server, keys that are being fetched. It is begun by the
    /// call, on an event loop, and resumes once, from any thread, at once or later.
    case await(@Sendable (_ resume: @escaping @Sendable (Effect<Value>) -> Void) -> Void)

    /// What the value leads to.
    package func then<Next: Sendable>(_ next: @escaping @Sendable (Value) -> Effect<Next>) -> Effect<Next> {
        switch self {
        case .done(let value): next(value)
        case .offload(let work): .offload { work().then(next) }
        case .hash(let work): .hash { work().then(next) }
        case .await(let begin): .await { resume in begin { resume($0.then(next)) } }
        }
    }

    package func map<Next: Sendable>(_ transform: @escaping @Sendable (Value) -> Next) -> Effect<Next> {
        then { .done(transform($0)) }
    }

    /// What a service with a completion of its own answers.
    package static func answer<Answer: Sendable>(
        of begin: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void,
        _ next: @escaping @Sendable (Answer) -> Effect<Value>
    ) -> Effect<Value> {
        .await { resume in begin { resume(next($0)) } }
    }
}

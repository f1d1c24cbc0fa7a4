import Reactor
import Synchronization

/// Which of many like events are written: the first of a kind, and one a minute with the number of those in between.
final class Repetitions<Kind: Hashable & Sendable>: Sendable {
    private struct Told {
        var at: Int64
        /// How often it has happened since.
        var repeated = 0
    }

    /// Milliseconds between two events of one kind.
    private let pause: Int64 = 60_000
    /// Kinds that are kept apart. Those beyond are one: a caller that makes up kinds hides no others.
    private let mostKinds = 256
    private let told = Mutex<[Kind?: Told]>([:])

    /// How often an event of a kind was not written since the last time; nil if it is not written now.
    /// - Parameter now: milliseconds of the monotonic clock.
    func note(_ kind: Kind, now: Int64 = Clock.monotonicMilliseconds) -> Int? {
        told.withLock { told in
            if told[kind] == nil, told.count >= mostKinds {
                told = told.filter { $0.key == nil || now - $0.value.at < pause }
            }
            let key = told[kind] == nil && told.count >= mostKinds ? nil : kind
            if let last = told[key], now - last.at < pause {
                told[key]?.repeated += 1
                return nil
            }
            return told.updateValue(Told(at: now), forKey: key)?.repeated ?? 0
        }
    }
}

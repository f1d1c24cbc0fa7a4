import Synchronization

/// Shares work among callers that need the same result at the same time: the first performs it, the others wait for its
/// result. If the first is dropped before it has a result, such as that of a client that has gone, the next takes over.
package final class SharedEffects<Value: Sendable>: Sendable {
    private struct Waiter {
        let work: @Sendable () -> Effect<Value>
        let resume: @Sendable (Effect<Value>) -> Void
    }

    /// The callers that wait for each result that is being obtained.
    private let waiting = Mutex<[[UInt8]: [Waiter]]>([:])

    package init() {}

    /// The result for a key: of this work, or of work for the same key that has begun and not ended.
    package func result(
        of key: [UInt8], _ work: @escaping @Sendable () -> Effect<Value>
    ) -> Effect<Value> {
        let leads = waiting.withLock { waiting in
            if waiting[key] != nil { return false }
            waiting[key] = []
            return true
        }
        if leads { return lead(key, work) }
        return .await { [self] resume in
            let joins = waiting.withLock { waiting in
                let joins = waiting[key]?.append(Waiter(work: work, resume: resume)) != nil
                // It has ended between the two looks.
                if !joins { waiting[key] = [] }
                return joins
            }
            if !joins { resume(lead(key, work)) }
        }
    }

    private func lead(_ key: [UInt8], _ work: () -> Effect<Value>) -> Effect<Value> {
        let leader = Leader(of: key, self)
        return work().map { value in
            leader.end(value)
            return value
        }
    }

    private func ended(_ key: [UInt8], _ value: Value) {
        let waiters = waiting.withLock { $0.removeValue(forKey: key) } ?? []
        for waiter in waiters { waiter.resume(.done(value)) }
    }

    private func dropped(_ key: [UInt8]) {
        let next = waiting.withLock { waiting -> Waiter? in
            if waiting[key]?.isEmpty == false { return waiting[key]?.removeFirst() }
            waiting[key] = nil
            return nil
        }
        guard let next else { return }
        next.resume(lead(key, next.work))
    }

    /// The caller that performs the work. The effects that are left to perform hold it.
    private final class Leader: Sendable {
        private let key: [UInt8]
        private let effects: SharedEffects
        private let hasEnded = Atomic<Bool>(false)

        init(of key: [UInt8], _ effects: SharedEffects) {
            self.key = key
            self.effects = effects
        }

        func end(_ value: Value) {
            hasEnded.store(true, ordering: .relaxed)
            effects.ended(key, value)
        }

        deinit { if !hasEnded.load(ordering: .relaxed) { effects.dropped(key) } }
    }
}

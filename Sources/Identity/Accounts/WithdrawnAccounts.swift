import Synchronization

/// Accounts, secrets and rights that another gateway with the same store has taken away, while this one still has the
/// older configuration. They are refused here until this configuration agrees.
package final class WithdrawnAccounts: Sendable {
    private struct State {
        var digests: (@Sendable (String) -> [String])?
        var notices: [String: Notice] = [:]
        /// Numbers of withdrawals.
        var countByKind: [Kind: Int] = [:]
        var countByHolder: [String: Int] = [:]

        /// That under the key in use in front.
        func names(of credential: Credential) -> [String] {
            (digests?(credential.text) ?? []).map { "\(credential.kind.rawValue):\($0)" }
        }

        /// The latest notice, under any key.
        func notice(of credential: Credential) -> Notice? {
            var latest: Notice?
            for name in names(of: credential) {
                guard let notice = notices[name] else { continue }
                if latest.map({ notice.isNewer(than: $0) }) ?? true { latest = notice }
            }
            return latest
        }

        mutating func set(_ notice: Notice?, name: String) {
            count(notices[name], name, by: -1)
            notices[name] = notice
            count(notice, name, by: 1)
        }

        private mutating func count(_ notice: Notice?, _ name: String, by step: Int) {
            guard let notice, notice.isWithdrawn, let kind = Kind(noticeName: name) else { return }
            countByKind[kind] = (countByKind[kind] ?? 0) + step
            let ofHolder = (countByHolder[notice.holder] ?? 0) + step
            countByHolder[notice.holder] = ofHolder == 0 ? nil : ofHolder
        }
    }

    private let state = Mutex(State())
    /// The kinds with a withdrawal, checked first on the hot path.
    private let kinds = Atomic<UInt16>(0)
    private let changes = Atomic<UInt64>(0)
    private let rightsChanges = Atomic<UInt64>(0)

    /// Milliseconds within which other gateways learn of a change, unless the store is unavailable.
    private static let reach: Int64 = 1000

    package init() {}

    /// Sets the keyed digests that names are made with: the first names new notices, all find them. All processes that
    /// share a store use the same keys, so that readers of the store cannot test guesses of secrets.
    package func use(digests: @escaping @Sendable (String) -> [String]) {
        state.withLock { $0.digests = digests }
        changes.add(1, ordering: .acquiringAndReleasing)
    }

    /// Whether anything of that kind is withdrawn: one atomic load.
    package func has(_ kind: Kind) -> Bool { kinds.load(ordering: .acquiring) & kind.bit != 0 }

    /// Whether nothing is withdrawn.
    package var isEmpty: Bool { kinds.load(ordering: .acquiring) == 0 }

    /// Advances with each notice. Read it before the notices.
    package var version: UInt64 { changes.load(ordering: .acquiring) }

    /// Advances with each notice that earlier decisions may depend on and that revokes no tokens by itself.
    package var rightsVersion: UInt64 { rightsChanges.load(ordering: .acquiring) }

    /// Whether a holder may have lost something. Notices that cannot be read as a whole may be about any holder.
    package func concerns(_ holder: String) -> Bool {
        guard !isEmpty else { return false }
        return state.withLock { $0.countByHolder[holder] != nil || $0.countByHolder[""] != nil }
    }

    package func contains(_ credential: Credential) -> Bool { withdrawal(of: credential) != nil }

    /// The notice by which a credential is withdrawn; nil if it is not.
    package func withdrawal(of credential: Credential) -> Notice? {
        guard has(credential.kind), let notice = state.withLock({ $0.notice(of: credential) }) else { return nil }
        return notice.isWithdrawn ? notice : nil
    }

    /// Whether a credential was withdrawn after this second since 1970, or so shortly before it that not all gateways
    /// knew.
    package func contains(_ credential: Credential, changedSince second: Int64) -> Bool {
        withdrawal(of: credential).map { second * 1000 <= $0.changedAt + WithdrawnAccounts.reach } ?? false
    }

    /// A notice that withdraws or restores a credential, with its name. Nil before the digest is set.
    /// - Parameter from: seconds since 1970 from which it is refused; 0 for at once.
    package func notice(
        _ credential: Credential, isWithdrawn: Bool, from: Int64 = 0, milliseconds: Int64, until: Int64
    ) -> (name: String, notice: Notice)? {
        state.withLock { state in
            guard let name = state.names(of: credential).first else { return nil }
            // Later than the known notice, even if that was made by another clock.
            let changedAt = max(milliseconds, (state.notice(of: credential)?.changedAt ?? .min) &+ 1)
            return (
                name,
                Notice(
                    isWithdrawn: isWithdrawn, holder: credential.holder, changedAt: changedAt, until: until, from: from)
            )
        }
    }

    /// Merges a notice. Returns whether it is news.
    @discardableResult
    package func apply(_ notice: Notice, name: String) -> Bool {
        let isNews = state.withLock { state in
            if let known = state.notices[name], !notice.isNewer(than: known) { return false }
            state.set(notice, name: name)
            refreshKinds(state)
            return true
        }
        guard isNews else { return false }
        changes.add(1, ordering: .acquiringAndReleasing)
        if Kind(noticeName: name)?.endsTokens == false { rightsChanges.add(1, ordering: .acquiringAndReleasing) }
        return true
    }

    /// Everything that is known, by name.
    package var notices: [String: Notice] { state.withLock { $0.notices } }

    /// Removes expired notices.
    package func prune(now: Int64) {
        let isChanged = state.withLock { state in
            let expired = state.notices.filter { $0.value.until <= now }.keys
            for name in expired { state.set(nil, name: name) }
            refreshKinds(state)
            return !expired.isEmpty
        }
        if isChanged { changes.add(1, ordering: .acquiringAndReleasing) }
    }

    private func refreshKinds(_ state: State) {
        var bits: UInt16 = 0
        for (kind, count) in state.countByKind where count > 0 { bits |= kind.bit }
        kinds.store(bits, ordering: .releasing)
    }
}

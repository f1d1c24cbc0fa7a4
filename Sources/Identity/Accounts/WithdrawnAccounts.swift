import Model
import Synchronization

/// Accounts and secrets that another gateway with the same store has disabled or changed, while this one still has the
/// older configuration. They are refused here until this configuration agrees.
package final class WithdrawnAccounts: Sendable {
    /// A withdrawn credential.
    package enum Credential: Sendable, Equatable {
        /// A user, for every login method.
        case user(realm: String, name: String)
        /// One stored password of a user.
        case password(realm: String, name: String, stored: String)
        /// A mobile backend, for every authentication method.
        case backend(id: String)
        /// One secret of a client.
        case clientSecret(backendID: String, secret: String)

        /// Prefix of the names of its notices.
        package var kind: Kind {
            switch self {
            case .user: .user
            case .password: .password
            case .backend: .backend
            case .clientSecret: .clientSecret
            }
        }

        /// The name of the user or the id of the backend; tokens refer to it.
        package var holder: String {
            switch self {
            case .user(_, let name), .password(_, let name, _): name
            case .backend(let id), .clientSecret(let id, _): id
            }
        }

        fileprivate var text: String {
            let parts: [String] =
                switch self {
                case .user(let realm, let name): [realm, name]
                case .password(let realm, let name, let stored): [realm, name, stored]
                case .backend(let id): [id]
                case .clientSecret(let id, let secret): [id, secret]
                }
            // No token begins like this, and the text is unique per credential.
            return "\u{0}\(kind.rawValue)" + parts.map { "\u{0}\($0.utf8.count) \($0)" }.joined()
        }
    }

    package enum Kind: String, Sendable, CaseIterable {
        case user, password, backend
        case clientSecret = "secret"

        fileprivate var bit: UInt8 {
            switch self {
            case .user: 1
            case .password: 2
            case .backend: 4
            case .clientSecret: 8
            }
        }

        /// Parses a notice's name.
        package init?(noticeName name: String) {
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            self.init(rawValue: String(name[..<colon]))
        }
    }

    /// The state of one credential. The latest notice wins.
    package struct Notice: Sendable, Equatable {
        package var isWithdrawn: Bool
        /// The name of the user or the id of the backend.
        package var holder: String
        /// Milliseconds since 1970.
        package var changedAt: Int64
        /// Seconds since 1970 until which it is kept.
        package var until: Int64

        package init(isWithdrawn: Bool, holder: String, changedAt: Int64, until: Int64) {
            self.isWithdrawn = isWithdrawn
            self.holder = holder
            self.changedAt = changedAt
            self.until = until
        }

        fileprivate func isNewer(than other: Notice) -> Bool {
            if changedAt != other.changedAt { return changedAt > other.changedAt }
            // At equal times withdrawal wins.
            return isWithdrawn && !other.isWithdrawn
        }
    }

    private struct State {
        var digests: (@Sendable (String) -> [String])?
        var notices: [String: Notice] = [:]

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
    }

    private let state = Mutex(State())
    /// The kinds with a withdrawal, checked first on the hot path.
    private let kinds = Atomic<UInt8>(0)

    package init() {}

    /// Sets the keyed digests that names are made with: the first names new notices, all find them. All processes that
    /// share a store use the same keys, so that readers of the store cannot test guesses of secrets.
    package func use(digests: @escaping @Sendable (String) -> [String]) { state.withLock { $0.digests = digests } }

    /// Whether anything of that kind is withdrawn: one atomic load.
    package func has(_ kind: Kind) -> Bool { kinds.load(ordering: .acquiring) & kind.bit != 0 }

    /// Whether nothing is withdrawn.
    package var isEmpty: Bool { kinds.load(ordering: .acquiring) == 0 }

    package func contains(_ credential: Credential) -> Bool {
        guard has(credential.kind) else { return false }
        return state.withLock { $0.notice(of: credential)?.isWithdrawn == true }
    }

    /// A notice that withdraws or restores a credential from now on, with its name. Nil before the digest is set.
    package func notice(
        _ credential: Credential, isWithdrawn: Bool, milliseconds: Int64, until: Int64
    ) -> (name: String, notice: Notice)? {
        state.withLock { state in
            guard let name = state.names(of: credential).first else { return nil }
            // Later than the known notice, even if that was made by another clock.
            let changedAt = max(milliseconds, (state.notice(of: credential)?.changedAt ?? .min) &+ 1)
            return (
                name,
                Notice(isWithdrawn: isWithdrawn, holder: credential.holder, changedAt: changedAt, until: until)
            )
        }
    }

    /// Merges a notice. Returns whether it is news.
    @discardableResult
    package func apply(_ notice: Notice, name: String) -> Bool {
        state.withLock { state in
            if let known = state.notices[name], !notice.isNewer(than: known) { return false }
            state.notices[name] = notice
            refreshKinds(state)
            return true
        }
    }

    /// Everything that is known, by name.
    package var notices: [String: Notice] { state.withLock { $0.notices } }

    /// Removes expired notices.
    package func prune(now: Int64) {
        guard !state.withLock({ $0.notices.isEmpty }) else { return }
        state.withLock { state in
            state.notices = state.notices.filter { $0.value.until > now }
            refreshKinds(state)
        }
    }

    private func refreshKinds(_ state: State) {
        var bits: UInt8 = 0
        for (name, notice) in state.notices where notice.isWithdrawn { bits |= Kind(noticeName: name)?.bit ?? 0 }
        kinds.store(bits, ordering: .releasing)
    }
}

extension WithdrawnAccounts {
    /// The user without withdrawn credentials.
    package func current(_ user: User) -> User {
        guard !isEmpty else { return user }
        var user = user
        if contains(.user(realm: user.realm, name: user.username)) { user.enabled = false }
        if let stored = user.passwordHash,
            contains(.password(realm: user.realm, name: user.username, stored: stored))
        {
            user.passwordHash = nil
        }
        return user
    }

    /// The backend without withdrawn credentials.
    package func current(_ backend: Backend) -> Backend {
        guard has(.backend) || has(.clientSecret) else { return backend }
        var backend = backend
        if let secret = backend.clientSecret?.value,
            contains(.clientSecret(backendID: backend.mobileBackendID, secret: secret))
        {
            backend.clientSecret = nil
        }
        if contains(.backend(id: backend.mobileBackendID)) { backend.revoke() }
        return backend
    }
}

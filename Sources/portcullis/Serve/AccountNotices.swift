import Bytes
import Configuration
import Gateway
import Identity
import Model
import TokenStorage

/// Withdrawals and restorations of credentials by a new configuration, for gateways that share the store and still have
/// the old configuration: disabled or removed accounts, changed passwords and secrets.
struct AccountNotices: Sendable {
    private var changes: [(credential: WithdrawnAccounts.Credential, isWithdrawn: Bool)] = []

    /// Upper limit of token lifetimes. By then, every gateway has the new configuration.
    private static let rememberedSeconds: Int64 = 366 * 86_400

    /// - Parameters:
    ///   - users: the users who differ between the configurations.
    ///   - withdrawn: earlier notices.
    init(
        _ old: GatewayConfiguration, _ fresh: GatewayConfiguration, users: [ChangedUser], withdrawn: WithdrawnAccounts
    ) {
        for user in users { compare(user, withdrawn) }
        if !withdrawn.isEmpty { restoreNewUsers(old, fresh, withdrawn) }
        let (before, now) = (old.backends.map(\.inForce), fresh.backends.map(\.inForce))
        let backends = Dictionary(now.map { (ExactText($0.mobileBackendID), $0) }, uniquingKeysWith: { $1 })
        for backend in before { compare(backend, backends[ExactText(backend.mobileBackendID)], withdrawn) }
        let known = Set(before.map { ExactText($0.mobileBackendID) })
        for backend in now where !known.contains(ExactText(backend.mobileBackendID)) && !backend.isRevoked {
            restore(.backend(id: backend.mobileBackendID), withdrawn)
            if let secret = AccountNotices.secret(of: backend) { restore(secret, withdrawn) }
        }
    }

    private mutating func compare(_ user: ChangedUser, _ withdrawn: WithdrawnAccounts) {
        let (old, fresh) = (user.old, user.fresh)
        let account = WithdrawnAccounts.Credential.user(realm: old.realm, name: old.username)
        if fresh?.enabled == true {
            restore(account, withdrawn)
        } else if old.enabled || fresh == nil || old.tokensNotBefore != fresh?.tokensNotBefore {
            // Another gateway may have enabled the user meanwhile.
            changes.append((account, true))
        }
        // For removed users too: a later user of the same name has another password.
        if old.passwordHash != fresh?.passwordHash, let password = AccountNotices.password(of: old) {
            changes.append((password, true))
        }
        if let password = fresh.flatMap(AccountNotices.password) { restore(password, withdrawn) }
    }

    /// Restores users who are new in this gateway's configuration but may have been withdrawn by other gateways.
    private mutating func restoreNewUsers(
        _ old: GatewayConfiguration, _ fresh: GatewayConfiguration, _ withdrawn: WithdrawnAccounts
    ) {
        let known = Set(old.users.map { [ExactText($0.realm), ExactText($0.username)] })
        for user in fresh.users where user.enabled {
            if known.contains([ExactText(user.realm), ExactText(user.username)]) { continue }
            restore(.user(realm: user.realm, name: user.username), withdrawn)
            if let password = AccountNotices.password(of: user) { restore(password, withdrawn) }
        }
    }

    private mutating func compare(_ old: Backend, _ fresh: Backend?, _ withdrawn: WithdrawnAccounts) {
        let backend = WithdrawnAccounts.Credential.backend(id: old.mobileBackendID)
        if let fresh, !fresh.isRevoked {
            if old.isRevoked { restore(backend, withdrawn) }
        } else if !old.isRevoked {
            changes.append((backend, true))
        }
        let (before, now) = (AccountNotices.secret(of: old), fresh.flatMap(AccountNotices.secret))
        guard before != now else { return }
        if let before { changes.append((before, true)) }
        if let now { restore(now, withdrawn) }
    }

    private mutating func restore(_ credential: WithdrawnAccounts.Credential, _ withdrawn: WithdrawnAccounts) {
        if withdrawn.contains(credential) { changes.append((credential, false)) }
    }

    private static func password(of user: User) -> WithdrawnAccounts.Credential? {
        user.passwordHash.map { .password(realm: user.realm, name: user.username, stored: $0) }
    }

    private static func secret(of backend: Backend) -> WithdrawnAccounts.Credential? {
        guard let secret = backend.clientSecret?.value, !secret.isEmpty else { return nil }
        return .clientSecret(backendID: backend.mobileBackendID, secret: secret)
    }

    /// The operations for the store.
    func operations(_ withdrawn: WithdrawnAccounts, milliseconds: Int64) -> [StoreOperation] {
        let until = milliseconds / 1000 + AccountNotices.rememberedSeconds
        return changes.compactMap { credential, isWithdrawn in
            withdrawn.notice(credential, isWithdrawn: isWithdrawn, milliseconds: milliseconds, until: until)
                .map { .deny(.notice($0, $1)) }
        }
    }
}

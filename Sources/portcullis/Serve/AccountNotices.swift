import Bytes
import Configuration
import Identity
import Model
import TokenStorage

/// Withdrawals and restorations of credentials and rights by a new configuration, for gateways that share the store and
/// still have the old configuration.
struct AccountNotices: Sendable {
    typealias Credential = WithdrawnAccounts.Credential

    private struct Change {
        let credential: Credential
        let isWithdrawn: Bool
        /// Seconds since 1970 from which it is refused; 0 for at once.
        var from: Int64 = 0
    }

    private var changes: [Change] = []
    /// Earlier notices.
    private let withdrawn: WithdrawnAccounts

    /// Upper limit of token lifetimes. By then, every gateway has the new configuration.
    private static let rememberedSeconds: Int64 = 366 * 86_400

    /// - Parameter users: the users who differ between the configurations.
    init(
        _ old: GatewayConfiguration, _ fresh: GatewayConfiguration, users: [ChangedUser], withdrawn: WithdrawnAccounts
    ) {
        self.withdrawn = withdrawn
        for user in users { compare(user) }
        if !withdrawn.isEmpty { restoreNewUsers(old, fresh) }
        let (before, now) = (old.clients.map(\.inForce), fresh.clients.map(\.inForce))
        let clients = Dictionary(now.map { (ExactText($0.id), $0) }, uniquingKeysWith: { $1 })
        for client in before { compare(client, clients[ExactText(client.id)]) }
        let known = Set(before.map { ExactText($0.id) })
        for client in now where !known.contains(ExactText(client.id)) && !client.isRevoked {
            restore(.client(id: client.id))
            for credential in client.credentials { restore(credential) }
        }
        compare(consumers: old.consumers, fresh.consumers)
        compare(certificates: old.certificates, fresh.certificates)
        compare(old.registrationRights, fresh.registrationRights)
    }

    private mutating func compare(_ user: ChangedUser) {
        let (old, fresh) = (user.old, user.fresh)
        if let fresh, fresh.enabled {
            // A change of something else leaves what another gateway has disabled.
            if !old.enabled { restore(old.account) }
        } else if old.enabled || fresh == nil || old.tokensNotBefore != fresh?.tokensNotBefore {
            // Another gateway may have enabled the user meanwhile.
            changes.append(Change(credential: old.account, isWithdrawn: true))
        }
        // For removed users too: a later user of the same name has another password and other roles.
        if old.passwordHash != fresh?.passwordHash {
            if let password = old.password { changes.append(Change(credential: password, isWithdrawn: true)) }
            if let password = fresh?.password { restore(password) }
        }
        compare(old.heldRoles, fresh?.heldRoles ?? [])
    }

    /// Restores users who are new in this gateway's configuration but may have been withdrawn by other gateways.
    private mutating func restoreNewUsers(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration) {
        let known = Set(old.users.map { [ExactText($0.realm), ExactText($0.username)] })
        for user in fresh.users where user.enabled {
            if known.contains([ExactText(user.realm), ExactText(user.username)]) { continue }
            restore(user.account)
            if let password = user.password { restore(password) }
            for role in user.heldRoles { restore(role) }
        }
    }

    private mutating func compare(_ old: Client, _ fresh: Client?) {
        let client = Credential.client(id: old.id)
        if let fresh, !fresh.isRevoked {
            if old.isRevoked { restore(client) }
        } else if !old.isRevoked {
            changes.append(Change(credential: client, isWithdrawn: true))
        }
        compare(old.credentials, fresh?.credentials ?? [])
    }

    // MARK: Steps

    /// Withdraws what is no longer there, and restores what is new. What is as before says nothing: these may be older
    /// files than those of the gateway that withdrew it.
    mutating func compare(_ old: [Credential], _ fresh: [Credential]) {
        let (before, now) = (Set(old.map(\.identity)), Set(fresh.map(\.identity)))
        for credential in old where !now.contains(credential.identity) { withdraw(credential) }
        for credential in fresh where !before.contains(credential.identity) { restore(credential) }
    }

    /// - Parameter from: seconds since 1970 from which it is refused; 0 for at once.
    mutating func withdraw(_ credential: Credential, from: Int64 = 0) {
        if withdrawn.withdrawal(of: credential)?.from == from { return }
        changes.append(Change(credential: credential, isWithdrawn: true, from: from))
    }

    /// Whether a credential is refused at once, not only from a later second.
    func isWithdrawn(_ credential: Credential) -> Bool { withdrawn.withdrawal(of: credential)?.from == 0 }

    mutating func restore(_ credential: Credential) {
        if withdrawn.contains(credential) { changes.append(Change(credential: credential, isWithdrawn: false)) }
    }

    /// The operations for the store.
    func operations(milliseconds: Int64) -> [StoreOperation] {
        let until = milliseconds / 1000 + AccountNotices.rememberedSeconds
        return changes.compactMap { change in
            withdrawn.notice(
                change.credential, isWithdrawn: change.isWithdrawn, from: change.from, milliseconds: milliseconds,
                until: until
            )
            .map { .deny(.notice($0, $1)) }
        }
    }
}

extension User {
    fileprivate var account: AccountNotices.Credential { .user(realm: realm, name: username) }

    fileprivate var password: AccountNotices.Credential? {
        passwordHash.map { .password(realm: realm, name: username, stored: $0) }
    }

    fileprivate var heldRoles: [AccountNotices.Credential] {
        roles.map { .role(realm: realm, name: username, role: $0) }
    }
}

extension Client {
    /// What other gateways must refuse once it is gone. A revoked client has nothing but its rights.
    fileprivate var credentials: [AccountNotices.Credential] {
        let id = id
        var all = ClientRight.allCases.filter(has).map {
            AccountNotices.Credential.setting(backendID: id, name: $0.rawValue)
        }
        all += grants.roles.map { .setting(backendID: id, name: "role", value: $0) }
        all += (grants.scopes ?? []).map { .setting(backendID: id, name: "scope", value: $0) }
        if isRevoked { return all }
        if let secret = clientSecret?.value, !secret.isEmpty {
            all.append(.clientSecret(backendID: id, secret: secret))
        }
        all.append(.setting(backendID: id, name: "realm", value: realm))
        if !anonymousKey.isEmpty { all.append(.setting(backendID: id, name: "anonymousKey", value: anonymousKey)) }
        return all
    }
}

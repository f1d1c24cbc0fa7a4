import Bytes
import Configuration
import Gateway
import Model
import TokenStorage

/// Tokens that a new configuration revokes: those of users and clients that are removed, disabled, or have a later
/// `tokensNotBefore` (MAP-04). The configuration itself rejects access tokens. This type covers records of the
/// store, and tokens that were issued before the configuration took effect.
struct EndedTokens: Sendable {
    private enum Holder {
        /// - Parameter applications: ids of clients and names of applications, as in the store.
        case user(String, applications: [String])
        case client(id: String)
    }

    private var revocations: [(holder: Holder, notBefore: Int64)] = []

    /// Upper limit of token lifetimes: how long a revocation is kept.
    private static let longestTokenSeconds: Int64 = 366 * 86_400

    /// - Parameter users: the users who differ between the configurations.
    init(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration, users: [ChangedUser]) {
        for (user, now) in users.map({ ($0.old, $0.fresh) }) {
            guard
                let notBefore = EndedTokens.cutoff(
                    user.tokensNotBefore, now?.tokensNotBefore, isGone: now?.enabled != true && user.enabled)
            else { continue }
            let clients = old.clients.map(\.client).filter { $0.realm.isExactly(user.realm) }.map(\.id)
            let applications = old.applications.filter { $0.realm.isExactly(user.realm) }.map(\.name)
            revocations.append((.user(user.username, applications: clients + applications), notBefore))
        }
        let clients = Dictionary(
            fresh.clients.map { (Array($0.client.id.utf8), $0) }, uniquingKeysWith: { $1 })
        for entry in old.clients {
            let now = clients[Array(entry.client.id.utf8)]
            if let notBefore = EndedTokens.cutoff(
                entry.client.tokensNotBefore, now?.client.tokensNotBefore,
                isGone: now?.isRevoked != false && !entry.isRevoked)
            {
                revocations.append((.client(id: entry.client.id), notBefore))
            }
        }
    }

    /// The time before which tokens are revoked; nil without a change.
    private static func cutoff(_ old: Int64?, _ fresh: Int64?, isGone: Bool) -> Int64? {
        if let fresh, fresh > old ?? 0 { return fresh }
        return isGone ? .max : nil
    }

    /// The operations for the store. They also deny tokens that the old password or secret obtained between the time in
    /// the file and now.
    ///
    /// - Parameters:
    ///   - isShared: whether other gateways use the store.
    ///   - now: seconds since 1970, once no worker uses the old configuration.
    func operations(isShared: Bool, now: Int64) -> [StoreOperation] {
        let until = now + EndedTokens.longestTokenSeconds
        return revocations.flatMap { holder, notBefore -> [StoreOperation] in
            let cutoff = EndedTokens.lastSecond(notBefore, isShared: isShared, now: now)
            return switch holder {
            case .user(let name, let applications):
                [.deny(.subject(name, issuedBefore: cutoff, until: until))]
                    + applications.map { .revoke(.subject(application: $0, subject: name)) }
            case .client(let id):
                [.deny(.client(id, issuedBefore: cutoff, until: until)), .revoke(.application(id))]
            }
        }
    }

    /// The last second whose tokens are denied. It may lie in the future, since other processes do not know the cutoff.
    /// Without a date, it includes the time until other gateways are notified.
    ///
    /// A date in the far future may be a mistake to be corrected. An entry of the store cannot be taken back, so that such
    /// a date is left to the configuration of each gateway.
    private static func lastSecond(_ notBefore: Int64, isShared: Bool, now: Int64) -> Int64 {
        if notBefore == .max { return isShared ? now + RevocationFollower.reachSeconds : now }
        return max(now, notBefore <= now + farAhead ? notBefore - 1 : now)
    }

    /// The last second of which any tokens are denied; nil if none are.
    func lastSecond(isShared: Bool, now: Int64) -> Int64? {
        revocations.map { EndedTokens.lastSecond($0.notBefore, isShared: isShared, now: now) }.max()
    }

    private static let farAhead: Int64 = 60
}

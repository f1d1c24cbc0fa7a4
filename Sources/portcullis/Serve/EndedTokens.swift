import Configuration
import Gateway
import Tokens

/// Tokens of before that a new configuration ends: those of users and backends that are gone, disabled, or have a later
/// `tokensNotBefore` than they had (MBE-06, MAP-04). The configuration itself sees to access tokens; this is about
/// what the store keeps, and about what was issued until the configuration was in force.
struct EndedTokens: Sendable {
    private enum Holder {
        /// - Parameter applications: as the store names them, ids of backends and names of applications.
        case user(String, applications: [String])
        case backend(id: String)
    }

    private var ended: [(holder: Holder, notBefore: Int64)] = []

    /// Tokens live for so long at the most; later ones are told apart by their time of issue.
    private static let longestTokenSeconds: Int64 = 366 * 86_400

    /// - Parameter users: those who are not the same in both configurations.
    init(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration, users: [ChangedUser]) {
        for (user, now) in users.map({ ($0.old, $0.fresh) }) {
            guard
                let notBefore = EndedTokens.cutoff(
                    user.tokensNotBefore, now?.tokensNotBefore, isGone: now?.isEnabled != true && user.isEnabled)
            else { continue }
            let backends = old.backends.filter { isSame($0.realm, user.realm) }.map(\.mobileBackendID)
            let applications = old.applications.filter { isSame($0.realm, user.realm) }.map(\.name)
            ended.append((.user(user.username, applications: backends + applications), notBefore))
        }
        let backends = Dictionary(
            fresh.backends.map { (Array($0.mobileBackendID.utf8), $0) }, uniquingKeysWith: { $1 })
        for backend in old.backends {
            let now = backends[Array(backend.mobileBackendID.utf8)]
            if let notBefore = EndedTokens.cutoff(
                backend.tokensNotBefore, now?.tokensNotBefore, isGone: now?.isRevoked != false && !backend.isRevoked)
            {
                ended.append((.backend(id: backend.mobileBackendID), notBefore))
            }
        }
    }

    /// From when on tokens count again; nil where nothing has changed.
    private static func cutoff(_ old: Int64?, _ fresh: Int64?, isGone: Bool) -> Int64? {
        if let fresh, fresh > old ?? 0 { return fresh }
        return isGone ? .max : nil
    }

    /// What the store is to be told. The old password or secret was good until now: tokens that it gave after the time
    /// that the file names, because the configuration was read later, are denied.
    ///
    /// - Parameters:
    ///   - isShared: whether other gateways use the store.
    ///   - now: seconds since 1970, when no worker acts by the old configuration any more.
    func operations(isShared: Bool, now: Int64) -> [StoreOperation] {
        let until = now + EndedTokens.longestTokenSeconds
        return ended.flatMap { holder, notBefore -> [StoreOperation] in
            let cutoff = EndedTokens.lastSecond(notBefore, isShared: isShared, now: now)
            return switch holder {
            case .user(let name, let applications):
                [.deny(.subject(name, issuedBefore: cutoff, until: until))]
                    + applications.map { .revoke(.subject(application: $0, subject: name)) }
            case .backend(let id):
                [.deny(.backend(id, issuedBefore: cutoff, until: until)), .revoke(.application(id))]
            }
        }
    }

    /// The last second whose tokens are denied: of cut-offs that lie ahead too, since other processes know nothing of
    /// them. Where there is no date, those of the time in which other gateways hear of it, too.
    ///
    /// A date that lies far ahead may be a slip that is put right, which an entry cannot be: for that the configuration
    /// of each gateway stands alone.
    private static func lastSecond(_ notBefore: Int64, isShared: Bool, now: Int64) -> Int64 {
        if notBefore == .max { return isShared ? now + RevocationFollower.reachSeconds : now }
        return max(now, notBefore <= now + farAhead ? notBefore - 1 : now)
    }

    private static let farAhead: Int64 = 60
}

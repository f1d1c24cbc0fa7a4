import Model

/// A worker's exchanges that may outlive the credential they were admitted with: tunnels, event streams, and responses of
/// routes that say so. Each is reviewed when its credential expires or is revoked, an issuer removes a key, or the
/// configuration changes.
///
/// Other long responses are excluded: a download ends, and a caller admitted at its start gets all of it.
final class LongLivedExchanges {
    private struct Entry {
        let exchange: Exchange
        /// Seconds since 1970 when the credential expires.
        var expiresAt: Int64
        /// Generation of the deny list at the last check of the caller.
        var checkedRevocations: UInt64
    }

    /// Unordered. Stored contiguously, so that checking thousands of dates takes microseconds.
    private var entries: [Entry] = []
    /// Whether exchanges with an earlier configuration or keys are being reviewed.
    var isReadmitting = false
    /// `PolicySnapshot.keyEpoch` at the start of the last such review.
    var keyEpoch: UInt64 = 0

    var count: Int { entries.count }
    /// Number of tunnels.
    var tunnels: Int { entries.count { $0.exchange.tunnel != nil } }

    subscript(_ place: Int) -> Exchange { entries[place].exchange }

    func add(_ exchange: Exchange) {
        exchange.longLivedIndex = entries.count
        // Not yet checked against the deny list, which may have changed since the decision.
        entries.append(Entry(exchange: exchange, expiresAt: exchange.expiresAt, checkedRevocations: .max))
    }

    func remove(_ exchange: Exchange) {
        let place = exchange.longLivedIndex
        guard place >= 0 else { return }
        exchange.longLivedIndex = -1
        let last = entries.removeLast()
        guard last.exchange !== exchange else { return }
        last.exchange.longLivedIndex = place
        entries[place] = last
    }

    /// Updates the expiry after the caller of an exchange was verified again.
    func renew(_ exchange: Exchange) { entries[exchange.longLivedIndex].expiresAt = exchange.expiresAt }

    /// Why the exchange at this index must end; nil if it may continue.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - revocations: generation of the deny list.
    ///   - isRevoked: called once per generation.
    func verdict(at place: Int, now: Int64, revocations: UInt64, isRevoked: (Exchange) -> Bool) -> CutReason? {
        if entries[place].expiresAt <= now { return .expired }
        guard entries[place].checkedRevocations != revocations else { return nil }
        entries[place].checkedRevocations = revocations
        return isRevoked(entries[place].exchange) ? .revoked : nil
    }
}

/// Why the gateway ended a long-lived exchange.
enum CutReason {
    /// The credential has expired.
    case expired
    case revoked
    /// It would be refused under the current configuration or keys.
    case refused
    /// No data for `tunnelIdleTimeout`.
    case idle
    /// The program is shutting down, and the drain period is over.
    case drained

    func reason(isTunnel: Bool) -> Reason {
        switch self {
        case .expired: isTunnel ? .tunnelExpired : .eventStreamExpired
        case .revoked: isTunnel ? .tunnelRevoked : .eventStreamRevoked
        case .refused: isTunnel ? .tunnelRefused : .eventStreamRefused
        case .idle: isTunnel ? .tunnelIdle : .eventStreamIdle
        case .drained: isTunnel ? .tunnelDrained : .eventStreamDrained
        }
    }
}

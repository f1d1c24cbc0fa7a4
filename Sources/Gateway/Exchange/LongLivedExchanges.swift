import Model

/// The exchanges of a worker that may outlive the credential they were let in with: tunnels, and responses that are
/// streams of events. Each is looked at again when its credential ends or is revoked, an issuer takes a key back, or the
/// configuration changes.
///
/// Other long responses are not among them: a download has an end, and who was let in when it began gets all of it.
final class LongLivedExchanges {
    private struct Entry {
        let exchange: Exchange
        /// Seconds since 1970 when the credential ends.
        var expiresAt: Int64
        /// Generation of the deny list that the caller was last held against.
        var checkedRevocations: UInt64
    }

    /// In no order. Side by side, so that a look at the dates of thousands takes microseconds.
    private var entries: [Entry] = []
    /// Whether a look at those of an earlier configuration or with earlier keys is under way.
    var isReadmitting = false
    /// `PolicySnapshot.keyEpoch` when such a look was last begun for it.
    var keyEpoch: UInt64 = 0

    var count: Int { entries.count }
    /// How many of them are tunnels.
    var tunnels: Int { entries.count { $0.exchange.tunnel != nil } }

    subscript(_ place: Int) -> Exchange { entries[place].exchange }

    func add(_ exchange: Exchange) {
        exchange.longLivedIndex = entries.count
        // Never held against the deny list so far: it may have changed since the request was decided.
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

    /// The caller of an exchange was verified again.
    func renew(_ exchange: Exchange) { entries[exchange.longLivedIndex].expiresAt = exchange.expiresAt }

    /// Why the exchange at this place has to end, if it has to.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - revocations: generation of the deny list.
    ///   - isRevoked: asked once for each generation.
    func verdict(at place: Int, now: Int64, revocations: UInt64, isRevoked: (Exchange) -> Bool) -> CutReason? {
        if entries[place].expiresAt <= now { return .expired }
        guard entries[place].checkedRevocations != revocations else { return nil }
        entries[place].checkedRevocations = revocations
        return isRevoked(entries[place].exchange) ? .revoked : nil
    }
}

/// Why the gateway has ended an exchange that lasts.
enum CutReason {
    /// The credential has ended.
    case expired
    case revoked
    /// Under the configuration of now, or with the keys of now, it would not be let in.
    case refused
    /// Nothing has passed for `tunnelIdleTimeout`.
    case idle
    /// The program ends, and the time to drain is over.
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

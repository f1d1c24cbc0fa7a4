import Bytes
import JOSE
import Model

/// An issuer's keys and the schedule for fetching them. A pure value: time is an argument, in seconds since 1970, and
/// fetching happens elsewhere.
///
/// A fetch that fails, or yields no usable key, never removes existing keys.
struct KeyCache {
    private let minimum: Int64
    private let maximum: Int64
    private let stale: Int64

    private(set) var keys: KeySet?
    /// End of the last attempt.
    private(set) var lastAttempt: Int64?
    /// Its failure; nil after a success.
    private(set) var failure: KeyFetchFailure?
    private(set) var fetchedAt: Int64?
    private(set) var isFetching = false
    /// Lifetime given by the issuer, within the configured bounds.
    private var lifetime: Int64 = 0
    private var failuresInRow = 0
    /// Time of the next proactive fetch.
    private(set) var refreshAt = Int64.min
    private var absent = AbsentKeys()

    init(_ settings: RemoteKeySettings) {
        minimum = settings.minimumReloadSeconds
        maximum = settings.maximumReloadSeconds
        stale = settings.staleSeconds
    }

    // MARK: Questions

    /// The answer to a need. Also `.fetch` for a fetch in progress that the request must wait for.
    func answer(_ need: KeyNeed, now: Int64) -> KeyAvailability {
        guard let keys = usableKeys(now), let age = age(now) else {
            return isFetching || now >= refreshAt || age(now) == .max ? .fetch : .unavailable
        }
        if isMet(need, by: keys) {
            // JWT-34: too old, so reload first; after a failure the old keys stay in use until the next attempt.
            return failure == nil && age > maximum ? .fetch : .ready(keys)
        }
        // JWT-33: an unknown key may be new, but requests cannot force fetches more often than this.
        if !absent.contains(need.keyID, now), isFetching || age >= minimum { return .fetch }
        return settled(need, now: now)
    }

    /// The answer that needs no fetch.
    func settled(_ need: KeyNeed, now: Int64) -> KeyAvailability {
        guard let keys = usableKeys(now) else { return .unavailable }
        // While the issuer does not answer, it is unknown whether it has this key. A name that is known decides.
        let isKnown = need.keyID == nil ? isMet(need, by: keys) : keys.meets(need)
        return failure == nil || isKnown ? .ready(keys) : .unavailable
    }

    /// Whether a proactive fetch is due.
    func isRefreshDue(now: Int64) -> Bool { !isFetching && (now >= refreshAt || age(now) == .max) }

    /// Whether the keys outlived the issuer's lifetime because it does not answer.
    func isStale(now: Int64) -> Bool { failure != nil && fetchedAt.map { now >= $0 + lifetime } ?? false }

    func usableKeys(_ now: Int64) -> KeySet? {
        guard let fetchedAt, now < fetchedAt + lifetime + stale else { return nil }
        return keys
    }

    /// Seconds since the last attempt; nil before the first. Tolerates a caller that read the clock slightly earlier;
    /// setting the clock back further makes everything old.
    private func age(_ now: Int64) -> Int64? {
        lastAttempt.map { now < $0 - KeyCache.clockSlack ? .max : max(0, now - $0) }
    }

    private static let clockSlack: Int64 = 60

    private func isMet(_ need: KeyNeed, by keys: KeySet) -> Bool { !need.wasTriedInVain && keys.meets(need) }

    // MARK: Events

    mutating func began() { isFetching = true }

    /// - Parameters:
    ///   - lifetime: given by the issuer; nil if absent.
    ///   - spread: 0 to 99, to desynchronise processes that started together.
    mutating func succeeded(_ fresh: KeySet, lifetime: Int64?, now: Int64, spread: Int64) -> KeyChange {
        let losesKeys = keys.map { !fresh.includes($0) } ?? false
        let isOther = losesKeys || !(keys?.includes(fresh) ?? false)
        let change = KeyChange(losesKeys: losesKeys, isNews: isOther || failure != nil)
        // Unchanged keys keep their object identity.
        if isOther { keys = fresh }
        self.lifetime = min(max(lifetime ?? maximum, minimum), maximum)
        fetchedAt = now
        failure = nil
        failuresInRow = 0
        isFetching = false
        lastAttempt = now
        // Before expiry, so that no request waits for the fetch.
        refreshAt = now + max(min(minimum, maximum), self.lifetime - self.lifetime * (5 + spread / 10) / 100)
        absent.removeAll { fresh.hasKey(named: $0) }
        return change
    }

    mutating func failed(_ failure: KeyFetchFailure, now: Int64) {
        self.failure = failure
        isFetching = false
        lastAttempt = now
        failuresInRow = min(failuresInRow + 1, 16)
        // Without keys requests are waiting; with keys none is.
        let pause = usableKeys(now) == nil ? min(minimum, 1 << Int64(failuresInRow - 1)) : minimum
        refreshAt = now + max(1, pause)
    }

    /// Fresh keys lack the requested one.
    mutating func missed(_ need: KeyNeed, now: Int64) {
        guard failure == nil, let keyID = need.keyID, let keys, !keys.meets(need) else { return }
        absent.note(keyID, now: now, minimum: minimum)
    }
}

/// Effect of a successful fetch.
package struct KeyChange: Equatable, Sendable {
    /// Whether existing keys were removed.
    package var losesKeys: Bool
    /// Whether the keys changed, or the issuer answers again.
    package var isNews: Bool
}

/// Key ids that an issuer does not have. The pause before asking again doubles each time, so that a token with an
/// invented `kid` does not cause repeated fetches.
private struct AbsentKeys {
    private struct Entry {
        var keyID: String
        var pause: Int64
        var term: CacheTerm
    }

    private static let capacity = 64
    private static let longestName = 256
    private static let longestPause: Int64 = 8
    private var entries: [Entry] = []

    func contains(_ keyID: String?, _ now: Int64) -> Bool {
        guard let keyID, let entry = entries.first(where: { $0.keyID.isExactly(keyID) }) else {
            return false
        }
        return entry.term.covers(now)
    }

    mutating func note(_ keyID: String, now: Int64, minimum: Int64) {
        guard keyID.utf8.count <= AbsentKeys.longestName else { return }
        var entry = Entry(keyID: keyID, pause: minimum, term: CacheTerm(from: now, seconds: minimum))
        if let place = entries.firstIndex(where: { $0.keyID.isExactly(keyID) }) {
            // Several requests may have waited for one fetch.
            if entries[place].term.covers(now) { return }
            entry.pause = min(entries[place].pause * 2, minimum * AbsentKeys.longestPause)
            entry.term = CacheTerm(from: now, seconds: entry.pause)
            entries.remove(at: place)
        } else if entries.count == AbsentKeys.capacity {
            entries.removeFirst()
        }
        entries.append(entry)
    }

    mutating func removeAll(where isThere: (String) -> Bool) { entries.removeAll { isThere($0.keyID) } }
}

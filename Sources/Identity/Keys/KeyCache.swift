import JOSE
import Model

/// An issuer's keys and when to fetch them again. A value: time is an argument, in seconds since 1970, and nothing is
/// fetched here.
///
/// A fetch that fails, or brings nothing that could verify a token, never takes away what is there.
struct KeyCache {
    private let minimum: Int64
    private let maximum: Int64
    private let stale: Int64

    private(set) var keys: KeySet?
    /// When the last attempt came to its end.
    private(set) var lastAttempt: Int64?
    /// What became of it; nil where it went well.
    private(set) var failure: KeyFetchFailure?
    private(set) var fetchedAt: Int64?
    private(set) var isFetching = false
    /// How long the issuer wants these keys kept, within our bounds.
    private var lifetime: Int64 = 0
    private var failuresInRow = 0
    /// When they are fetched again without anybody having asked.
    private(set) var refreshAt = Int64.min
    private var absent = AbsentKeys()

    init(_ settings: RemoteKeySettings) {
        minimum = settings.minimumReloadSeconds
        maximum = max(settings.maximumReloadSeconds, settings.minimumReloadSeconds)
        stale = settings.staleSeconds
    }

    // MARK: Questions

    /// What there is for a need. `.fetch` also while a fetch is under way that is to be waited for.
    func answer(_ need: KeyNeed, now: Int64) -> KeysNow {
        guard let keys = usableKeys(now), let age = age(now) else {
            return isFetching || now >= refreshAt || age(now) == .max ? .fetch : .unavailable
        }
        if isMet(need, by: keys) {
            // JWT-34: too old, so first a reload; where that has failed, the old ones stay until the next attempt.
            return failure == nil && age > maximum ? .fetch : .ready(keys)
        }
        // JWT-33: a key that we do not have may be new; but nobody makes us ask more often than this.
        if !absent.contains(need.keyID, now), isFetching || age >= minimum { return .fetch }
        return settled(need, now: now)
    }

    /// The answer without another fetch.
    func settled(_ need: KeyNeed, now: Int64) -> KeysNow {
        guard let keys = usableKeys(now) else { return .unavailable }
        // Whether the issuer has such a key by now, nobody can say while it does not answer.
        return failure == nil || isMet(need, by: keys) ? .ready(keys) : .unavailable
    }

    /// Whether it is time to fetch without anybody having asked.
    func isRefreshDue(now: Int64) -> Bool { !isFetching && (now >= refreshAt || age(now) == .max) }

    /// Beyond the time that the issuer gave them, since it does not answer.
    func isStale(now: Int64) -> Bool { failure != nil && fetchedAt.map { now >= $0 + lifetime } ?? false }

    func usableKeys(_ now: Int64) -> KeySet? {
        guard let fetchedAt, now < fetchedAt + lifetime + stale else { return nil }
        return keys
    }

    /// Seconds since the last attempt; nil before the first one. Whoever asks may have looked at the clock a moment
    /// earlier; a clock that was put back by more makes everything old.
    private func age(_ now: Int64) -> Int64? {
        lastAttempt.map { now < $0 - KeyCache.clockSlack ? .max : max(0, now - $0) }
    }

    private static let clockSlack: Int64 = 60

    private func isMet(_ need: KeyNeed, by keys: KeySet) -> Bool { !need.wasTriedInVain && keys.meets(need) }

    // MARK: Events

    mutating func began() { isFetching = true }

    /// - Parameters:
    ///   - lifetime: as the issuer wants it; nil where it does not say.
    ///   - spread: 0 to 99, by which processes that began together come apart again.
    mutating func succeeded(_ fresh: KeySet, lifetime: Int64?, now: Int64, spread: Int64) -> KeyChange {
        let losesKeys = keys.map { !fresh.includes($0) } ?? false
        let isOther = losesKeys || !(keys?.includes(fresh) ?? false)
        let change = KeyChange(losesKeys: losesKeys, isNews: isOther || failure != nil)
        // The same keys as before are kept as the objects that they are.
        if isOther { keys = fresh }
        self.lifetime = min(max(lifetime ?? maximum, minimum), maximum)
        fetchedAt = now
        failure = nil
        failuresInRow = 0
        isFetching = false
        lastAttempt = now
        // Ahead of the end, so that no request ever waits for it.
        refreshAt = now + max(minimum, self.lifetime - self.lifetime * (5 + spread / 10) / 100)
        absent.removeAll { fresh.hasKey(named: $0) }
        return change
    }

    mutating func failed(_ failure: KeyFetchFailure, now: Int64) {
        self.failure = failure
        isFetching = false
        lastAttempt = now
        failuresInRow = min(failuresInRow + 1, 16)
        // Without keys everybody is waiting; with keys nobody is.
        let pause = usableKeys(now) == nil ? min(minimum, 1 << Int64(failuresInRow - 1)) : minimum
        refreshAt = now + max(1, pause)
    }

    /// Fresh keys do not have what somebody asked for.
    mutating func missed(_ need: KeyNeed, now: Int64) {
        guard failure == nil, let keyID = need.keyID, let keys, !keys.meets(need) else { return }
        absent.note(keyID, now: now, minimum: minimum)
    }
}

/// What a fetch that went well has changed.
package struct KeyChange: Equatable, Sendable {
    /// Keys are gone that were there.
    package var losesKeys: Bool
    /// The keys are others than before, or the issuer answers again.
    package var isNews: Bool
}

/// Names of keys that an issuer turned out not to have: each is asked for again after a pause that doubles, so that one
/// token that names nonsense does not keep us asking.
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
        guard let keyID, let entry = entries.first(where: { $0.keyID.utf8.elementsEqual(keyID.utf8) }) else {
            return false
        }
        return entry.term.covers(now)
    }

    mutating func note(_ keyID: String, now: Int64, minimum: Int64) {
        guard keyID.utf8.count <= AbsentKeys.longestName else { return }
        var entry = Entry(keyID: keyID, pause: minimum, term: CacheTerm(from: now, seconds: minimum))
        if let place = entries.firstIndex(where: { $0.keyID.utf8.elementsEqual(keyID.utf8) }) {
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

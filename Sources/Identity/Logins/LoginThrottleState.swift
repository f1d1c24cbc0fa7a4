import Model
import Outbound

/// What a `LoginThrottle` counts, and who waits for it. Users, networks and their pairs are keyed hashes.
struct LoginThrottleState: Sendable {
    /// Who attempts.
    struct Question: Sendable {
        /// Nil where no user is named.
        var name: UInt64?
        var pair: UInt64 = 0
        /// Nil for no address.
        var place: UInt64?
        /// Whether the password is known to be right.
        var isKnown = false
    }

    /// The places that an attempt holds.
    struct Places: Sendable {
        /// The key of the count, with whether it is that of a user at home.
        fileprivate var user: (key: UInt64, isAtHome: Bool)?
        fileprivate var network: UInt64?
        fileprivate var home: UInt64?
        fileprivate(set) var priority = HashPriority.standard
    }

    enum Answer: Sendable {
        case admitted(Places)
        case usedUp(nanoseconds: Int64)
        case busy(on: UInt64)
    }

    enum Outcome: Sendable {
        case right, wrong, unknown
    }

    struct Waiter: Sendable {
        let question: Question
        /// Seconds since 1970, when it began.
        let now: Int64
        let resume: @Sendable (Answer) -> Void
    }

    /// Maximum number of attempts that wait for those under way of one user or network.
    private static let maximumWaiting = 256

    var settings: LoginThrottleSettings
    private var users: AttemptBuckets
    private var networks: AttemptBuckets
    /// Where users have logged in, by pair.
    private var homes: RecentSet
    /// By the key whose places are taken.
    private var waiting: [UInt64: [Waiter]] = [:]

    init(_ settings: LoginThrottleSettings, capacity: Int) {
        self.settings = settings
        let sets = max(1, capacity / BucketTable.ways)
        users = AttemptBuckets(sets: sets)
        networks = AttemptBuckets(sets: sets)
        homes = RecentSet(capacity: capacity)
    }

    /// - Parameter now: nanoseconds.
    mutating func admit(_ question: Question, at now: Int64) -> Answer {
        var places = Places()
        let isAtHome = question.name != nil && homes.contains(question.pair)
        if isAtHome { places.priority = .known }
        if let name = question.name {
            places.home = question.pair
            let key = isAtHome ? question.pair : name
            if let rate = settings.userRate(isAtHome: isAtHome) {
                switch users.take(key, at: now, rate) {
                case .taken: places.user = (key, isAtHome)
                case .busy: return .busy(on: key)
                case .usedUp(let nanoseconds): return .usedUp(nanoseconds: nanoseconds)
                }
            }
        }
        if !isAtHome, let place = question.place, let rate = settings.networkRate {
            if networks.hasFailures(place, at: now, rate) { places.priority = .suspected }
            let taken = networks.take(place, at: now, rate)
            // A refusal for the network uses up no attempt of the user.
            if case .taken = taken { places.network = place } else { release(places, hasFailed: false) }
            switch taken {
            case .taken: break
            case .busy: return .busy(on: place)
            case .usedUp(let nanoseconds): return .usedUp(nanoseconds: nanoseconds)
            }
        }
        if question.isKnown {
            release(places, hasFailed: false)
            homes.insert(question.pair)
        }
        return .admitted(places)
    }

    /// Lets an attempt wait that was busy.
    /// - Returns: the answer if it is known by now.
    mutating func wait(_ waiter: Waiter, at now: Int64) -> Answer? {
        let answer = admit(waiter.question, at: now)
        guard case .busy(let key) = answer, waiting[key, default: []].count < LoginThrottleState.maximumWaiting else {
            return answer
        }
        waiting[key, default: []].append(waiter)
        return nil
    }

    /// Ends an attempt.
    ///
    /// - Parameter time: nanoseconds, by what a waiter takes for now.
    /// - Returns: the answers to those that have waited for it, to be given without the lock.
    mutating func end(
        _ places: Places, _ outcome: Outcome, _ time: (Int64) -> Int64
    ) -> [(waiter: Waiter, answer: Answer)] {
        release(places, hasFailed: outcome == .wrong)
        if outcome == .right, let home = places.home { homes.insert(home) }
        var answered: [(waiter: Waiter, answer: Answer)] = []
        for key in [places.user?.key, places.network].compactMap(\.self) {
            for waiter in waiting.removeValue(forKey: key) ?? [] {
                let answer = admit(waiter.question, at: time(waiter.now))
                // It waits on, in its place.
                if case .busy(let other) = answer {
                    waiting[other, default: []].append(waiter)
                } else {
                    answered.append((waiter, answer))
                }
            }
        }
        return answered
    }

    private mutating func release(_ places: Places, hasFailed: Bool) {
        if let (key, isAtHome) = places.user {
            users.end(key, settings.userRate(isAtHome: isAtHome), hasFailed: hasFailed)
        }
        if let network = places.network { networks.end(network, settings.networkRate, hasFailed: hasFailed) }
    }
}

extension LoginThrottleSettings {
    /// Nil for no limit.
    fileprivate func userRate(isAtHome: Bool) -> BucketRate? {
        let count = isAtHome ? failuresAtHome ?? failuresPerUser : failuresPerUser
        return count > 0 ? BucketRate(count, perMilliseconds: perMilliseconds, burst: count) : nil
    }

    /// Nil for no limit.
    fileprivate var networkRate: BucketRate? {
        failuresPerNetwork > 0
            ? BucketRate(failuresPerNetwork, perMilliseconds: perMilliseconds, burst: failuresPerNetwork) : nil
    }
}

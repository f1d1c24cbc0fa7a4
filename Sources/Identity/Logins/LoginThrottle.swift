import Bytes
import Crypto
import Model
import Synchronization

/// Limits guesses of passwords by user name, existing or not, and by client network. Attempts come back with time, so
/// that no user is locked out permanently.
///
/// A user who has logged in from a network has a count of their own there: guesses from other networks use up the
/// attempts of all other networks, but not those of this one.
package final class LoginThrottle: Sendable {
    package typealias Settings = LoginThrottleSettings

    /// One attempt that may go on. It has been counted as a failure; `succeeded` takes that back.
    package struct Attempt: Sendable {
        /// Nil where none is named.
        fileprivate let user: UInt64?
        fileprivate let network: UInt64
        fileprivate let pair: UInt64
        fileprivate let isAtHome: Bool
    }

    package enum Verdict: Sendable {
        case admitted(Attempt)
        /// - Parameter seconds: after which the next attempt is admitted.
        case refused(retryAfter: Int)
    }

    private struct State {
        var settings: Settings
        var users: BucketTable
        var networks: BucketTable
        /// Where users have logged in, by pair.
        var homes: RecentSet

        /// Takes an attempt of a network: nil where there was one, else the nanoseconds until there is.
        mutating func wait(for place: UInt64, of network: [UInt8], at nanoseconds: Int64) -> Int64? {
            guard settings.failuresPerNetwork > 0, !network.isEmpty else { return nil }
            let wait = networks.take(place, at: nanoseconds, settings.networkRate)
            return wait > 0 ? wait : nil
        }

        mutating func giveBack(_ attempt: Attempt) {
            if let user = attempt.user, let rate = settings.userRate(isAtHome: attempt.isAtHome) {
                users.giveBack(user, rate)
            }
            if settings.failuresPerNetwork > 0, !attempt.isAtHome {
                networks.giveBack(attempt.network, settings.networkRate)
            }
        }

        mutating func succeeded(_ attempt: Attempt) {
            giveBack(attempt)
            homes.insert(attempt.pair)
        }
    }

    private let state: Mutex<State>
    private let clock: SteadyClock
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())

    /// - Parameters:
    ///   - capacity: how many users and networks are distinguished.
    ///   - clock: of a gateway, the system's.
    package init(_ settings: Settings = Settings(), capacity: Int = 16_384, clock: SteadyClock = .ofCaller) {
        self.clock = clock
        let sets = max(1, capacity / BucketTable.ways)
        state = Mutex(
            State(
                settings: settings, users: BucketTable(sets: sets), networks: BucketTable(sets: sets),
                homes: RecentSet(capacity: capacity)))
    }

    /// Another configuration; what was used up stays used up.
    package func use(_ settings: Settings) { state.withLock { $0.settings = settings } }

    /// Counts an attempt before its password is looked at, so that many at a time are held back as well.
    ///
    /// - Parameters:
    ///   - network: the address that one party is counted by; empty where there is none.
    ///   - isRight: whether the password is known to be right, so that nothing is used up. Where attempts are used up it is
    ///     refused as well: a guess that is answered in another way than the others would be found out.
    ///   - now: seconds since 1970.
    package func admit(
        user: String, realm: String, network: [UInt8], isRight: Bool = false, now: Int64
    ) -> Verdict {
        let name = hash.hash(Array(user.utf8).span) ^ rotated(hash.hash(Array(realm.utf8).span), 1)
        let place = hash.hash(network.span)
        let pair = name ^ rotated(place, 7)
        let nanoseconds = clock.seconds(now) * 1_000_000_000
        return state.withLock { state in
            let settings = state.settings
            let isAtHome = state.homes.contains(pair)
            let counted = isAtHome ? pair : name
            let userRate = settings.userRate(isAtHome: isAtHome)
            if let userRate {
                let wait = state.users.take(counted, at: nanoseconds, userRate)
                if wait > 0 { return .refused(retryAfter: LoginThrottle.seconds(wait)) }
            }
            if !isAtHome, let wait = state.wait(for: place, of: network, at: nanoseconds) {
                // A refusal for the network uses up no attempt of the user.
                if let userRate { state.users.giveBack(counted, userRate) }
                return .refused(retryAfter: LoginThrottle.seconds(wait))
            }
            let attempt = Attempt(user: counted, network: place, pair: pair, isAtHome: isAtHome)
            if isRight { state.succeeded(attempt) }
            return .admitted(attempt)
        }
    }

    /// The same for what names no user, such as the code of an identity provider. To be withdrawn once it was right.
    package func admit(network: [UInt8], now: Int64) -> Verdict {
        let place = hash.hash(network.span)
        let nanoseconds = clock.seconds(now) * 1_000_000_000
        return state.withLock { state in
            if let wait = state.wait(for: place, of: network, at: nanoseconds) {
                return .refused(retryAfter: LoginThrottle.seconds(wait))
            }
            return .admitted(Attempt(user: nil, network: place, pair: place, isAtHome: false))
        }
    }

    /// The password was right.
    package func succeeded(_ attempt: Attempt) {
        state.withLock { $0.succeeded(attempt) }
    }

    /// Nothing was learned of the password.
    package func withdraw(_ attempt: Attempt) {
        state.withLock { $0.giveBack(attempt) }
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }

    private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}

extension LoginThrottle.Settings {
    /// Nil for no limit.
    fileprivate func userRate(isAtHome: Bool) -> BucketRate? {
        let count = isAtHome ? failuresAtHome ?? failuresPerUser : failuresPerUser
        return count > 0 ? BucketRate(count, perMilliseconds: perMilliseconds, burst: count) : nil
    }

    fileprivate var networkRate: BucketRate {
        BucketRate(failuresPerNetwork, perMilliseconds: perMilliseconds, burst: failuresPerNetwork)
    }
}

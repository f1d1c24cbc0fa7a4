import Bytes
import Crypto
import Endpoints
import Identity
import Model
import Synchronization

/// Limits guesses of client secrets by client and network together: guesses from other networks use up no attempts of a
/// client, and attempts come back with time. Without an address, as on a Unix socket, there is no limit, since a client
/// cannot be distinguished from others.
///
/// Others behind the same address do not lock a client out either, and can still test only few secrets:
/// - repeating the same wrong secret is not counted;
/// - once a client has shown its secret, it has as many wrong attempts as all clients of another address together;
/// - secrets as long as those that the gateway makes are always checked, since they cannot be guessed (RFC 6749
///   section 10.10).
package final class ClientThrottle: Sendable {
    /// Bytes of the secrets that `portcullis client` makes: 256 random bits in Base64.
    package static let unguessableLength = 43

    private let throttle: LoginThrottle
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())
    /// Secrets that were wrong, each with client and network.
    private let misses: Mutex<RecentSet>

    /// - Parameters:
    ///   - capacity: how many clients, networks and wrong secrets are distinguished.
    ///   - clock: of a gateway, the system's.
    package init(
        _ settings: LoginThrottle.Settings = LoginThrottle.Settings(), capacity: Int = 16_384,
        clock: SteadyClock = .ofCaller
    ) {
        throttle = LoginThrottle(ClientThrottle.adapted(settings), capacity: capacity, clock: clock)
        misses = Mutex(RecentSet(capacity: capacity))
    }

    /// Another configuration; what was used up stays used up.
    /// - Parameter settings: as for the passwords of users.
    package func use(_ settings: LoginThrottle.Settings) { throttle.use(ClientThrottle.adapted(settings)) }

    private static func adapted(_ settings: LoginThrottle.Settings) -> LoginThrottle.Settings {
        var settings = settings
        let isLimited = settings.failuresPerUser > 0 && settings.failuresPerNetwork > 0
        settings.failuresAtHome = isLimited ? max(settings.failuresPerUser, settings.failuresPerNetwork) : 0
        return settings
    }

    /// An attempt that may continue. It holds its place until it ends.
    package struct Attempt: Sendable {
        fileprivate let throttle: ClientThrottle
        fileprivate let guess: UInt64
        /// Nil where nothing is counted.
        fileprivate let counted: LoginAttempt?

        /// The secret was right, even if it was wrong under an earlier configuration.
        package func succeeded() {
            if let counted {
                counted.succeeded()
            } else {
                throttle.misses.withLock { $0.remove(guess) }
            }
        }

        /// The secret was wrong.
        package func failed() {
            guard let counted else { return }
            counted.failed()
            throttle.misses.withLock { $0.insert(guess) }
        }

        /// Nothing was learned of it.
        package func withdraw() { counted?.withdraw() }
    }

    /// Nil where too many secrets were wrong for this one to be looked at.
    package func admit(_ client: String, secret: [UInt8], from origin: ClientOrigin) -> Attempt? {
        guard !origin.network.isEmpty else { return Attempt(throttle: self, guess: 0, counted: nil) }
        let place = String(decoding: Base64.encode(origin.network.span, .url), as: UTF8.self)
        // Neither a client's name nor the place has a control character.
        let guess = hash.hash((Array("\(client)\u{1f}\(place)\u{1f}".utf8) + secret).span)
        // The sender has learned already that it is wrong.
        if misses.withLock({ $0.contains(guess) }) { return Attempt(throttle: self, guess: guess, counted: nil) }
        let verdict = throttle.admit(user: client, realm: place, network: origin.network, now: origin.now)
        if case .admitted(let attempt) = verdict { return Attempt(throttle: self, guess: guess, counted: attempt) }
        guard secret.count >= ClientThrottle.unguessableLength else { return nil }
        return Attempt(throttle: self, guess: guess, counted: nil)
    }

    /// What the first right one of a secret's readings belongs to; nil where none is right. However many readings there are
    /// of it, a right secret is no failure.
    ///
    /// - Parameters:
    ///   - client: names the client that a reading counts for; nil for a reading that is skipped.
    ///   - owner: what a reading belongs to.
    package func first<Found>(
        of presented: PresentedSecret, from origin: ClientOrigin, client: (PresentedSecret.Pair) -> String?,
        owner: (PresentedSecret.Pair) -> Found?
    ) throws(TokenFailure) -> Found? {
        var missed: [Attempt] = []
        for reading in presented.readings {
            guard let name = client(reading) else { continue }
            guard let attempt = admit(name, secret: reading.secret, from: origin) else {
                for other in missed { other.failed() }
                throw .clientThrottled
            }
            if let found = owner(reading) {
                attempt.succeeded()
                for other in missed { other.withdraw() }
                return found
            }
            missed.append(attempt)
        }
        for attempt in missed { attempt.failed() }
        return nil
    }
}

/// Where a client comes from that shows a secret, and when.
package struct ClientOrigin: Sendable {
    /// The address that one party is counted by; empty for none.
    let network: [UInt8]
    /// The origin of the page that sends the request; nil for none.
    let page: String?
    /// Seconds since 1970.
    let now: Int64

    package init(_ request: EndpointRequest, now: Int64) {
        self.init(request.address, page: request.field("origin"), now: now)
    }

    package init(_ address: IPAddress?, page: String? = nil, now: Int64) {
        network = address?.subscriberBytes ?? []
        self.page = page
        self.now = now
    }
}

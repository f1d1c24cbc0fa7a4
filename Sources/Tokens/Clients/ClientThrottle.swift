import Bytes
import HTTP
import Identity

/// Holds back those who guess the secrets of clients, by client and network together: strangers elsewhere use up nothing
/// of a client's, and what was used up comes back with time. A client that has shown its secret from a network is not
/// counted among all that come from there, as with `LoginThrottle`. Where there is no address, as on a Unix socket, a
/// client cannot be told from strangers, and nobody is held back.
package struct ClientThrottle: Sendable {
    private let throttle: LoginThrottle

    /// - Parameter throttle: one that counts no users.
    package init(_ throttle: LoginThrottle = LoginThrottle()) { self.throttle = throttle }

    /// An attempt that may go on. It has been counted as a failure.
    struct Attempt: Sendable {
        fileprivate let throttle: LoginThrottle
        /// Nil where nothing is counted.
        fileprivate let counted: LoginThrottle.Attempt?

        /// The secret was right.
        func succeeded() { if let counted { throttle.succeeded(counted) } }

        /// Nothing was learned of it.
        func withdraw() { if let counted { throttle.withdraw(counted) } }
    }

    /// Nil where too many secrets were wrong.
    func admit(_ client: String, from origin: ClientOrigin) -> Attempt? {
        guard !origin.network.isEmpty else { return Attempt(throttle: throttle, counted: nil) }
        let place = String(decoding: Base64.encode(origin.network.span, .url), as: UTF8.self)
        let verdict = throttle.admit(user: client, realm: place, network: origin.network, now: origin.now)
        guard case .admitted(let attempt) = verdict else { return nil }
        return Attempt(throttle: throttle, counted: attempt)
    }

    /// What the first right one of a secret's readings belongs to; nil where none is right. However many readings there are
    /// of it, a right secret is no failure.
    ///
    /// - Parameters:
    ///   - client: whom a reading is counted by; nil for one that is not looked at.
    ///   - owner: what a reading belongs to.
    func first<Found>(
        of presented: PresentedSecret, from origin: ClientOrigin, client: (PresentedSecret.Pair) -> String?,
        owner: (PresentedSecret.Pair) -> Found?
    ) throws(TokenFailure) -> Found? {
        var missed: [Attempt] = []
        for reading in presented.readings {
            guard let name = client(reading) else { continue }
            guard let attempt = admit(name, from: origin) else { throw .clientThrottled }
            if let found = owner(reading) {
                attempt.succeeded()
                for other in missed { other.withdraw() }
                return found
            }
            missed.append(attempt)
        }
        return nil
    }
}

/// Where a client comes from that shows a secret, and when.
struct ClientOrigin: Sendable {
    /// The address that one party is counted by; empty for none.
    let network: [UInt8]
    /// Seconds since 1970.
    let now: Int64

    init(_ request: EndpointRequest, now: Int64) {
        network = request.address?.subscriberBytes ?? []
        self.now = now
    }
}

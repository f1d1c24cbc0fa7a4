import Crypto
import Gateway
import Identity
import OAuthServer
import Reactor
import TokenStorage

/// What outlives configurations: each finds here what the one before has left.
struct Lasting: Sendable {
    let revocations = RevocationList()
    /// What other gateways with the same store have disabled or changed.
    let withdrawn = WithdrawnAccounts()
    let tls = LastingTLS()
    /// The limiters, whose buckets go on.
    let rateLimiters = RateLimiters()
    /// What those who guess passwords have used up.
    let throttle = LoginThrottle(clock: .system)
    /// The same for secrets of clients.
    let clientThrottle = ClientThrottle(clock: .system)
    /// The same for the admin token.
    let adminThrottle = ClientThrottle(clock: .system)
    /// The same for what browsers bring back from identity providers.
    let callbackThrottle = LoginThrottle(clock: .system)
    /// The families of endpoints, with what they keep.
    let families = CompatibilityFamilies.all()
    /// How the rules of token exchange are read anew, and what went wrong with that.
    let assertions = AssertionReloads()
    /// Makes calls to other servers, once there are workers to make them.
    let outbound = OutboundCalls()
    let keys = LastingKeys()
    /// How it stands with those that upstreams' tokens come from.
    let issuers = LastingIssuers()
    /// Where clients of applications have users made and changed.
    let registry = LastingRegistry()
    /// Tokens, and what was revoked.
    let store = LastingStore()
    /// Deletes expired tokens, away from the loops.
    let cleaner = TokenCleaner(later: { Lasting.cleaning.submit($0) })
    private static let cleaning = SerialQueue(label: "portcullis.cleaner")
    /// Whether a gateway is to run, and not only a command that reads its configuration.
    let isServing: Bool
    let log: EventLog

    init(isServing: Bool = false, log: EventLog = EventLog(LogWriter(.standardError))) {
        self.isServing = isServing
        self.log = log
    }

    /// How those who guess are treated from now on.
    func use(_ settings: LoginThrottle.Settings) {
        throttle.use(settings)
        callbackThrottle.use(settings)
        clientThrottle.use(settings)
        adminThrottle.use(settings)
    }
}

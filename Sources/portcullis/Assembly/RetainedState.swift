import Gateway
import Identity
import OAuthServer
import Outbound
import Reactor
import TokenStorage

/// State of the process that outlives configurations.
struct RetainedState: Sendable {
    let revocations = RevocationList()
    /// Accounts that other gateways with the same store have disabled or changed.
    let withdrawn = WithdrawnAccounts()
    let tls = RetainedTLS()
    /// The limiters with their buckets.
    let rateLimiters = RateLimiters()
    /// Failed logins.
    let throttle = LoginThrottle(clock: .system)
    /// Work that no request waits for.
    let background = BackgroundEffects()
    /// Proofs of possession that were used.
    let proofs = ProofReplays()
    /// Wrong secrets of clients.
    let clientThrottle = ClientThrottle(clock: .system)
    /// Wrong codes of devices.
    let deviceThrottle = LoginThrottle(DeviceLogins.limits, clock: .system)
    let deviceBeginThrottle = LoginThrottle(DeviceLogins.beginLimits, clock: .system)
    /// Clients that networks register.
    let registrationThrottle = LoginThrottle(RegistrationSettings.limits, clock: .system)
    /// Wrong admin tokens.
    let adminThrottle = ClientThrottle(clock: .system)
    /// Failed callbacks of browsers from identity providers.
    let callbackThrottle = LoginThrottle(clock: .system)
    /// Tokens that logouts have revoked at identity providers.
    let providerRevocations = ProviderRevocations()
    /// The families of endpoints with their state.
    let families: [any CompatibilityFamily]
    /// Reloads of the rules of token exchange, and their failures.
    let assertions = AssertionReloads()
    /// Calls to other servers, which the workers make.
    let outbound = OutboundCalls()
    let keys = RetainedKeys()
    /// The gateway's own signing keys.
    let signingKeys = RetainedSigningKeys()
    /// Those of listeners that an authority issues.
    let certificates = RetainedCertificates()
    /// State of the issuers of upstreams' tokens.
    let issuers = RetainedIssuers()
    /// Creation and changes of users by clients of applications.
    let registry = RetainedUserRegistry()
    /// Tokens and revocations.
    let store = RetainedStore()
    /// Deletes expired tokens, away from the loops.
    let cleaner = TokenCleaner(later: { RetainedState.cleaning.submit($0) })
    /// Counts the records of the store that need a former key.
    let formerKeys = FormerKeyCount(later: { RetainedState.cleaning.submit($0) })
    private static let cleaning = SerialQueue(label: "portcullis.cleaner")
    /// Whether a gateway runs, not only a command that reads its configuration.
    let isServing: Bool
    let log: EventLog

    init(
        families: [any CompatibilityFamily], isServing: Bool = false,
        log: EventLog = EventLog(LogWriter(.errors))
    ) {
        self.families = families
        self.isServing = isServing
        self.log = log
    }

    /// The configuration that was read last is in force.
    func adopt() {
        signingKeys.adopt()
        certificates.adopt()
    }

    /// Sets the limits of failed logins.
    func use(_ settings: LoginThrottle.Settings) {
        throttle.use(settings)
        callbackThrottle.use(settings)
        clientThrottle.use(settings)
        adminThrottle.use(settings)
    }
}

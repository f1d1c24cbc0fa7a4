import Identity
import Model

/// The outcome of a step of a login.
enum LoginOutcome: Sendable {
    /// The login is complete.
    case proven(MobileSession)
    /// The password was right; a second factor is required.
    /// - Parameter question: the security question; nil for a one-time code.
    case pending(PendingLogin, question: String?)
    /// - Parameter left: remaining attempts; nil if not disclosed.
    /// - Parameter retryAfter: seconds; nil for the default of the failure.
    case refused(MobileSocialFailure, left: Int64? = nil, retryAfter: Int? = nil)
}

/// Name and password for an application.
struct PasswordAttempt: Sendable {
    var domain: ServiceDomain
    var application: MobileApplication
    var login: PresentedLogin
    var session: SessionTerms
    /// Required second factors.
    var steps: [PendingLogin.Step]
    /// Maximum number of consecutive wrong passwords (OMS-10).
    var allowed: Int64
    var address: IPAddress?
}

/// The properties of the session that a login opens.
struct SessionTerms: Sendable {
    /// Name of the service domain.
    var domain: String
    var application: MobileApplication
    var type = TokenType.user
    /// As in `MobileSession.Facts`, like the next two.
    var registration = ""
    var device = ""
    var proof = ""
    var limits: SessionLimits
    var level: Int
    var isOffline = false

    /// The terms after a login without the server. The session always has a limit, since the server may have locked
    /// the user out in the meantime.
    func withoutServer(_ remote: RemoteAuthentication?) -> SessionTerms {
        var terms = self
        terms.isOffline = true
        let longest = remote?.offlineSessionSeconds ?? 0
        terms.limits.session = min(limits.session ?? longest, longest)
        return terms
    }
}

import Bytes

/// The profile of an application of a service domain (OMS-03).
package struct MobileApplicationSettings: Sendable {
    package var name: String
    /// The name that users see.
    package var displayName: String?
    /// The scheme of the application's own URLs, for redirects of browsers (RP-02).
    package var urlScheme: String?
    /// Other redirect URIs after a login at a provider, compared byte by byte.
    package var redirectURIs: [String] = []
    /// Whether it participates in single sign-on (AGT-01).
    package var participates = false
    package var agentPriority: Int?
    package var profileCacheSeconds: Int64 = 3600
    /// Seconds, 0 for no limit; nil if the application may choose (OMS-08, OMS-22).
    package var sessionTimeout: Int64?
    package var idleTimeout: Int64?
    /// Nil if the application may choose (OMS-10).
    package var maximumLoginAttempts: Int64?
    package var lockoutSeconds: Int64 = 300
    /// Nil if not configured (OMS-11).
    package var offlineAuthentication: Bool?
    /// Passed to clients unchanged (OMS-20, OMS-21).
    package var customAttributes: [JSONMember] = []
    /// The claims that clients must send in device profiles.
    package var claimAttributes: [String] = []
    /// Maximum lifetime of its access tokens.
    package var accessTokenSeconds: Int64 = 3600

    package init(name: String) { self.name = name }
}

extension Sequence<MobileApplicationSettings> {
    /// The application that logs in for all others with single sign-on: the one with the lowest priority number, in the
    /// order of names for equal priorities (AGT-01).
    package var agent: MobileApplicationSettings? {
        filter { $0.participates && $0.agentPriority != nil }
            .min { ($0.agentPriority ?? 0, $0.name) < ($1.agentPriority ?? 0, $1.name) }
    }
}

/// Maximum numbers for one user of a service domain. A new item ends the oldest, so that old items lock no user out and
/// logins cannot fill the store.
package struct ServiceDomainLimits: Sendable, Equatable {
    package var registrations = 50
    package var sessions = 100
    package var sessionsPerDevice = 20

    package init() {}
}

import Declaration
import Model

/// Remote authentication of a service domain's users (OMS-12).
package struct RemoteAuthenticationEntry: Sendable {
    /// Name of the issuer whose server verifies passwords.
    package var issuer: String
    package var connectivity = Connectivity.online
    /// How long after a login at the server users can log in offline.
    package var verifierLifetime = Duration.seconds(604_800)
    /// Number of users who can log in offline.
    package var maximumVerifiers = 10_000
    /// Longest lifetime of an offline session, in seconds.
    package var offlineSessionSeconds = 3600
    /// Roles of users without an entry in `users.json`; nil if they are refused.
    package var guestRoles: [String]?

    private static let day = 86_400

    static func read(_ object: inout ObjectReader) -> RemoteAuthenticationEntry {
        let standard = RemoteAuthenticationEntry(issuer: "")
        return RemoteAuthenticationEntry(
            issuer: object.required(
                "issuer", .reference(to: .issuer), "the name of an issuer",
                """
                With `remote`, required: name of the issuer whose server is asked, of module `oauth2`, `oam`, or `http` \
                with `{password}`.
                """) ?? "",
            connectivity: object.value(
                "offline", .choice, default: standard.connectivity,
                """
                How `remote` checks a password. `online` asks the server. `offline` uses the verifier of the last \
                login at the server. `auto` asks the server, and uses the verifier while it is down.
                """),
            verifierLifetime: object.value(
                "verifierLifetime", .duration, default: standard.verifierLifetime,
                "With `remote`: how long after the last login at the server a user can log in without it, at most a year."
            ),
            maximumVerifiers: object.value(
                "maxVerifiers", .integer(1...1_000_000, "a number of users"), default: standard.maximumVerifiers,
                "With `remote`: about how many users can log in without the server; the oldest verifiers go first."),
            offlineSessionSeconds: object.value(
                "offlineSessionTimeout", .integer(1...(30 * day), "a number of seconds"),
                default: standard.offlineSessionSeconds,
                "With `remote`: longest duration in seconds of a session that was opened without the server."),
            guestRoles: object.optional(
                "guestRoles", .references(to: .role),
                """
                With `remote`: roles of users that `users.json` does not have; without it they cannot log in. See \
                [users who are known elsewhere](guides/remote-users.md).
                """))
    }
}

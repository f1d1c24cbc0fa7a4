import Model

/// Where the users of a service domain log in who are known elsewhere (OMS-12).
package struct RemoteAuthenticationEntry: Sendable {
    /// Name of an issuer whose server is asked about passwords.
    package var issuer: String
    package var connectivity = Connectivity.online
    /// How long after the last login at the server a user gets in without it.
    package var verifierLifetime = Duration.seconds(604_800)
    /// How many users get in without it.
    package var maximumVerifiers = 10_000
    /// How long a session lasts at the most that was opened without it, in seconds.
    package var offlineSessionSeconds = 3600
    /// Roles of users that `users.json` does not have; nil where those do not get in.
    package var guestRoles: [String]?

    private static let day = 86_400

    static func read(_ object: inout ObjectReader) -> RemoteAuthenticationEntry {
        let standard = RemoteAuthenticationEntry(issuer: "")
        return RemoteAuthenticationEntry(
            issuer: object.needed(
                "issuer", .reference(to: .issuer), "the name of an issuer",
                """
                With `remote`, required: name of the issuer whose server is asked, of module `oauth2`, `oam`, or `http` \
                with `{password}`.
                """) ?? "",
            connectivity: object.value(
                "offline", .choice, default: standard.connectivity,
                """
                With `remote`, what is asked: `online` the server alone, `offline` the verifier of the last login at the \
                server, `auto` the server, and the verifier where it is down.
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
                [users who are known elsewhere](README.md#users-who-are-known-elsewhere).
                """))
    }
}

extension ServiceDomainEntry {
    /// OMS-11: without the word of an application's profile nobody gets in offline.
    func checkConnectivity(_ pointer: String, _ findings: Findings) {
        guard let remote = authentication.remote, remote.connectivity != .online,
            !applications.contains(where: { $0.offlineAuthentication == true })
        else { return }
        findings.warning(
            JSONPointer.child(pointer, "offline"), "no application of the domain allows it",
            expected: "\"offlineAuthentication\": true in an application")
    }
}

/// Where the users of a service domain log in who are known elsewhere (OMS-12).
package struct RemoteAuthenticationEntry: Sendable {
    /// Name of an issuer whose server is asked about passwords.
    package var issuer: String
    /// `online`, `offline` or `auto`.
    package var connectivity = "online"
    /// How long after the last login at the server a user gets in without it.
    package var verifierLifetime = Duration.seconds(604_800)
    /// How many users get in without it.
    package var maximumVerifiers = 10_000
    /// How long a session lasts at the most that was opened without it, in seconds.
    package var offlineSessionSeconds = 3600
    /// Roles of users that `users.json` does not have; nil where those do not get in.
    package var guestRoles: [String]?

    private static let day = 86_400

    /// - Parameter isRemote: whether the domain has any use for the members.
    static func read(_ object: inout ObjectReader, isRemote: Bool) -> RemoteAuthenticationEntry? {
        guard isRemote else {
            let names = [
                "issuer", "offline", "verifierLifetime", "maxVerifiers", "offlineSessionTimeout", "guestRoles",
            ]
            for field in names.compactMap({ object.take($0) }) {
                field.error("the gateway verifies passwords itself here", expected: "\"type\": \"remote\" beside it")
            }
            return nil
        }
        let standard = RemoteAuthenticationEntry(issuer: "")
        return RemoteAuthenticationEntry(
            issuer: object.required("issuer", "the name of an issuer", standIn: "") { $0.reference(to: .issuer) },
            connectivity: object.value("offline", default: standard.connectivity) {
                $0.choice(["online", "offline", "auto"])
            },
            verifierLifetime: object.duration("verifierLifetime", default: standard.verifierLifetime),
            maximumVerifiers: object.count(
                "maxVerifiers", in: 1...1_000_000, default: standard.maximumVerifiers, "a number of users"),
            offlineSessionSeconds: object.count(
                "offlineSessionTimeout", in: 1...(30 * day), default: standard.offlineSessionSeconds,
                "a number of seconds"),
            guestRoles: object.optional("guestRoles") { $0.references(to: .role) })
    }
}

extension ServiceDomainEntry {
    /// OMS-11: without the word of an application's profile nobody gets in offline.
    func checkConnectivity(_ pointer: String, _ findings: Findings) {
        guard let remote = authentication.remote, remote.connectivity != "online",
            !applications.contains(where: { $0.offlineAuthentication == true })
        else { return }
        findings.warning(
            JSONPointer.child(pointer, "offline"), "no application of the domain allows it",
            expected: "\"offlineAuthentication\": true in an application")
    }
}

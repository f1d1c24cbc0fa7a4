import Declaration

/// Sessions of browsers (SSO-08).
package struct SessionsSection: Sendable {
    /// Longest time that a session lasts.
    package var lifetime: Duration
    /// How long it may be unused; zero for any time.
    package var idleTimeout: Duration
    /// How much longer logins hold whose provider does not answer.
    package var staleAfter: Duration
    /// The domain whose hosts all get the cookie, in lower case; nil for the host of the login alone.
    package var cookieDomain: String?

    static func read(_ object: inout ObjectReader) -> SessionsSection {
        SessionsSection(
            lifetime: object.value(
                "lifetime", duration(from: 1), default: .seconds(28_800), "Longest time that a browser stays logged in."
            ),
            idleTimeout: object.value(
                "idleTimeout", duration(from: 0), default: .seconds(3600),
                "How long a session may be unused, `\"0s\"` for any time."),
            staleAfter: object.value(
                "staleAfter", duration(from: 0), default: .seconds(600),
                """
                How much longer a login holds whose provider does not answer: beyond the end of the access token, or the \
                time of the `recheck`.
                """),
            cookieDomain: object.optional(
                "cookieDomain", .text(.pattern(CookieDomain.pattern), CookieDomain.read),
                """
                Domain whose hosts all get the session's cookie, such as `example.com`: a parent of all base URLs. By default \
                only the host of the [login](guides/browser-login.md#several-hosts) gets it.
                """))
    }

    /// A duration of whole seconds.
    /// - Parameter least: 0 or 1.
    static func duration(from least: Int64) -> Shape<Duration> {
        Shape<Duration>.durationOrOff.reading { field in
            guard let duration = field.duration(from: 0) else { return nil }
            guard duration == .zero && least == 0 || duration >= .seconds(1) else {
                return field.error(
                    "out of range",
                    expected: least == 0 ? "\"0s\", or a duration from \"1s\"" : "a duration from \"1s\"",
                    found: field.summary)
            }
            return duration
        }
    }
}

import Bytes
import Model

/// A login of browsers at an identity provider, without a service domain of its own.
package struct RouteLogin: Equatable, Sendable {
    /// Name of the identity provider.
    package var provider: String
    /// Nil for the limit of another route with this provider, otherwise 8 hours.
    package var lifetime: Duration?
    /// Nil for the limit of another route with this provider, otherwise one hour; zero for no limit.
    package var idleTimeout: Duration?

    /// Longest time that a session lasts.
    package var sessionSeconds: Int { Int((lifetime ?? .seconds(28_800)).components.seconds) }
    /// How long it may be unused; 0 for any time.
    package var idleSeconds: Int { Int((idleTimeout ?? .seconds(3600)).components.seconds) }

    /// The name of a provider, or an object.
    static let shape = Shape<RouteLogin>(
        .either([ReferenceKind.identityProvider.form, members.form()]),
        read: { field in
            if field.node.string != nil {
                return field.reference(to: .identityProvider).map { RouteLogin(provider: $0) }
            }
            guard field.node.members != nil else { return field.wrongType(expected) }
            return members.read(field)
        })

    private static let expected =
        "the name of an identity provider, or {\"provider\", \"sessionLifetime\", \"idleTimeout\"}"

    private static let members = Shape<RouteLogin>.object(expected) { object in
        RouteLogin(
            provider: object.required(
                "provider", .reference(to: .identityProvider), "the name of an identity provider", placeholder: "",
                "Name of an entry of `identityProviders.json`."),
            lifetime: object.optional(
                "sessionLifetime", seconds(from: 1),
                "Longest time that a session lasts; `8h` by default. All routes with this provider share it."),
            idleTimeout: object.optional(
                "idleTimeout", seconds(from: 0),
                "How long a session may be unused, `\"0s\"` for any time; `1h` by default. Shared likewise."))
    }

    private static func seconds(from least: Int64) -> Shape<Duration> {
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

import Configuration
import Identity
import Model
import Outbound
import Policy
import TokenStorage

/// SAML assertions as credentials of routes.
enum RouteAssertions {
    /// Nil if no route takes assertions. Reports routes that cannot in this program.
    static func settings(
        _ context: AssemblyContext, _ sources: AssertionSources, _ store: any TokenStore
    ) -> AssertionSettings? {
        let places = context.configuration.routes.indices.filter { index in
            context.configuration.routes[index].options.authenticators?.contains { $0.kind == .saml } ?? false
        }
        guard !places.isEmpty else { return nil }
        if let obstacle = SAMLVerifier.obstacle {
            for index in places {
                context.report(
                    "/routes/\(index)/authenticators", "\(obstacle.problem): no assertion can be verified",
                    expected: obstacle.expected, severity: .error)
            }
        }
        return AssertionSettings(sources) { key, until, now in
            store.ask(.remember(key: key, until: until), now: now) { answer in
                switch answer {
                case .success(let answer): .done(answer == .fresh(true))
                case .failure: .done(nil)
                }
            }
        }
    }
}

#if Compatibility
    import ApiOmat
    import Configuration
    import Crypto
    import Facebook
    import Identity
    import OAuthServer
    import Reactor

    /// Applications of ApiOmat, and tokens of Facebook.
    final class ApplicationFamily: CompatibilityFamily {
        func announce(in settings: inout TokenServiceSettings, _ context: AssemblyContext) {
            let applications = context.configuration.applications
            settings.applications = applications.isEmpty ? nil : ApplicationStore(applications)
        }

        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext) {
            let retained = context.retained
            let social = FacebookVerifier(caller: retained.outbound) { Clock.wallSeconds }
            parts.socialVerifier = social
            guard let applications = foundation.tokens.settings.applications else { return }
            var settings = ApplicationTokens.Settings(
                applications: applications, users: foundation.users, hasher: foundation.hasher,
                catalogue: foundation.catalogue, store: foundation.store.tokens, key: foundation.store.key)
            settings.social = social
            settings.throttle = retained.throttle
            settings.clientThrottle = retained.clientThrottle
            settings.registry = retained.registry
            settings.revocations = retained.revocations
            let tokens = ApplicationTokens(settings: settings)
            parts.opaqueTokens = tokens
            parts.add(tokens.handlers)
        }
    }
#endif

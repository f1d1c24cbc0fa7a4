#if Compatibility
    import Configuration
    import HTTP
    import Identity
    import LoginPages
    import Model
    import OAuthServer
    import SingleSignOn

    /// Single sign-on.
    final class SignOnFamily: CompatibilityFamily {
        func announce(in settings: inout TokenServiceSettings, _ context: AssemblyContext) {
            if LoginAssembly(context: context).offersSignOn {
                settings.signOnPath = SingleSignOnEndpoints.exchangePath
                settings.pageLanguages = PageLook(context.configuration.pages).tags
            }
            if SAMLVerifier.isAvailable { settings.samlPath = SingleSignOnEndpoints.exchangePath }
        }

        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext) {
            let service = SignOnService(
                foundation.tokens, relay: relay(foundation.seals, context), providers: foundation.providers,
                capturesRedirect: context.configuration.singleSignOn.capturesRedirect)
            parts.add(foundation.pages.dressing(service.handlers), returns: service.returns)
        }

        /// Settings of the single sign-on of browsers; nil where no backend has it.
        private func relay(_ seals: BrowserSeals, _ context: AssemblyContext) -> SignOnSettings? {
            guard LoginAssembly(context: context).offersSignOn else { return nil }
            let configuration = context.configuration
            let whitelist = configuration.policies.ssoRedirectWhitelist ?? RedirectWhitelist(nil)
            for problem in whitelist.problems { context.warning("/policies/Security_SsoRedirectWhitelist", problem) }
            var settings = SignOnSettings(seals: seals, whitelist: whitelist)
            settings.sessionSeconds = configuration.singleSignOn.sessionLifetime.components.seconds
            settings.idleSeconds = configuration.singleSignOn.idleTimeout.components.seconds
            return settings
        }
    }
#endif

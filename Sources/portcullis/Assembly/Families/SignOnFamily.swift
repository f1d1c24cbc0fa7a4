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
        func announce(in settings: inout TokenServiceSettings, _ assembly: inout Assembly) {
            if assembly.offersSignOn {
                settings.signOnPath = SingleSignOnEndpoints.exchangePath
                settings.pageLanguages = PageLook(assembly.configuration.pages).tags
            }
            if SAMLVerifier.isAvailable { settings.samlPath = SingleSignOnEndpoints.exchangePath }
        }

        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ assembly: inout Assembly) {
            let service = SignOnService(
                foundation.tokens, relay: relay(foundation.seals, &assembly), providers: foundation.providers,
                capturesRedirect: assembly.configuration.singleSignOn.capturesRedirect)
            parts.add(foundation.pages.dressing(service.handlers), returns: service.returns)
        }

        /// Settings of the single sign-on of browsers; nil where no backend has it.
        private func relay(_ seals: BrowserSeals, _ assembly: inout Assembly) -> SignOnSettings? {
            guard assembly.offersSignOn else { return nil }
            let configuration = assembly.configuration
            let whitelist = configuration.policies.ssoRedirectWhitelist ?? RedirectWhitelist(nil)
            for problem in whitelist.problems { assembly.warning("/policies/Security_SsoRedirectWhitelist", problem) }
            var settings = SignOnSettings(seals: seals, whitelist: whitelist)
            settings.sessionSeconds = configuration.singleSignOn.sessionLifetime.components.seconds
            settings.idleSeconds = configuration.singleSignOn.idleTimeout.components.seconds
            return settings
        }
    }
#endif

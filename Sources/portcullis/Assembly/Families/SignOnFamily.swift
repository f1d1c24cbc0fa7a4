#if Compatibility
    import Authorization
    import Configuration
    import Identity
    import LoginPages
    import Model
    import OAuthServer
    import SingleSignOn

    /// Single sign-on.
    final class SignOnFamily: CompatibilityFamily {
        func announce(in settings: inout TokenServiceSettings, _ context: AssemblyContext) {
            if LoginAssembly(context: context).hasLogins {
                settings.signOnPath = ExchangePaths.browsers
            }
            if SAMLVerifier.isAvailable { settings.samlPath = ExchangePaths.browsers }
        }

        func prepare(_ settings: inout LoginFlow.Settings, tokens: TokenService, _ context: AssemblyContext) {
            SignOnService.prepare(
                &settings, whitelist: whitelist(context.configuration), assertions: tokens.settings.assertions)
        }

        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext) {
            let whitelist = whitelist(context.configuration)
            if foundation.logins != nil {
                for problem in whitelist.problems {
                    context.warning("/policies/Security_SsoRedirectWhitelist", problem)
                }
            }
            let service = SignOnService(
                foundation.tokens, flow: foundation.logins, whitelist: whitelist,
                capturesRedirect: context.configuration[SingleSignOnSection.self].capturesRedirect)
            parts.add(foundation.pages.dressing(service.handlers))
        }

        private func whitelist(_ configuration: GatewayConfiguration) -> RedirectWhitelist {
            configuration.policies.ssoRedirectWhitelist ?? RedirectWhitelist(nil)
        }
    }
#endif

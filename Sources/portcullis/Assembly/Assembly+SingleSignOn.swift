import Configuration
import HTTP
import Identity
import Model
import Tokens

extension Assembly {
    /// Whether some backend has the single sign-on of browsers (MBE-05).
    var offersSignOn: Bool {
        configuration.tokenService.isEnabled && configuration.backends.contains { $0.enableSSO }
    }

    /// What it goes by; nil where no backend has it.
    mutating func signOn(_ seals: BrowserSeals) -> SignOnSettings? {
        guard offersSignOn else { return nil }
        let whitelist = configuration.policies.ssoRedirectWhitelist ?? RedirectWhitelist(nil)
        for problem in whitelist.problems { warning("/policies/Security_SsoRedirectWhitelist", problem) }
        var settings = SignOnSettings(seals: seals, whitelist: whitelist)
        settings.sessionSeconds = configuration.singleSignOn.sessionLifetime.components.seconds
        settings.idleSeconds = configuration.singleSignOn.idleTimeout.components.seconds
        return settings
    }
}

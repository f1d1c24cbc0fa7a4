import HTTP
import Identity
import Model

/// What the single sign-on of browsers goes by.
package struct SignOnSettings: Sendable {
    package var seals: BrowserSeals
    /// Where tokens may be posted to (SSO-03).
    package var whitelist: RedirectWhitelist
    /// How long a login lasts.
    package var sessionSeconds: Int64 = 28_800
    /// How long a browser may ask for nothing until it has to log in again.
    package var idleSeconds: Int64 = 3600

    package init(seals: BrowserSeals, whitelist: RedirectWhitelist) {
        self.seals = seals
        self.whitelist = whitelist
    }
}

import Configuration
import Crypto
import Gateway
import Identity
import Model
import Policy
import Reactor

/// ApiOmat applications and logins with Facebook.
extension Assembly {
    /// The applications; nil where there are none.
    mutating func applications() -> ApplicationStore? {
        guard !configuration.applications.isEmpty else { return nil }
        return ApplicationStore(
            configuration.applications.enumerated().map { application($1, at: "/applications/\($0)") })
    }

    /// The application that a route names, as far as the policy goes.
    func application(named name: String) -> Application? {
        configuration.applications.first { $0.name == name }.map {
            var application = Application(name: $0.name, apiKey: $0.apiKey?.value ?? "")
            application.realm = $0.realm
            application.httpBasic = $0.httpBasic
            return application
        }
    }

    private mutating func application(_ entry: ApplicationEntry, at pointer: String) -> Application {
        var application = Application(name: entry.name, apiKey: entry.apiKey?.value ?? "")
        application.systems = entry.systems
        application.realm = entry.realm
        application.userClass = Application.UserClass(module: entry.userClass.module, model: entry.userClass.model)
        application.administrator = entry.administrator.map {
            Application.Administrator(mail: $0.mail, passwordHash: $0.password)
        }
        application.writers = entry.writers
        application.expirations.access = Int64(entry.expirations.access)
        application.expirations.refresh = Int64(entry.expirations.refresh)
        application.expirations.manualAccess = Int64(entry.expirations.manualAccess)
        application.expirations.manualRefresh = Int64(entry.expirations.manualRefresh)
        application.expirations.longestAccess = Int64(entry.expirations.longestAccess)
        application.expirations.longestRefresh = Int64(entry.expirations.longestRefresh)
        application.allowSignUp = entry.allowSignUp
        application.httpBasic = entry.httpBasic
        application.facebook = socialLogin(entry.facebook)
        return application
    }

    /// Login with Facebook where it is on (FB-02).
    func socialLogin(_ entry: FacebookEntry?) -> SocialLogin? {
        guard let entry, entry.isEnabled else { return nil }
        return SocialLogin(
            appID: entry.appID ?? "", appSecret: entry.appSecret?.value ?? "", verifyURL: entry.verifyURL)
    }
}

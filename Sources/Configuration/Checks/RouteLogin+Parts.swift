import Model

/// The parts of the configuration that a `RouteLogin` stands for: a scheme with a form, its service domain with one
/// application, and the backend of that. Their names have a colon, which names of the files cannot have.
extension RouteLogin {
    private static let prefix = "login:"
    /// Path of the form, which sends browsers to the provider.
    private static let path = "/login"

    /// Name of the scheme, the service domain and the backend.
    var name: String { RouteLogin.prefix + provider }

    /// The backend as other sections name it.
    var backend: String { "\(name)/1" }

    /// Whether an entry of this name is not of the files.
    package static func isDerived(_ name: String) -> Bool { name.hasPrefix(prefix) }

    var scheme: AuthenticationSchemeEntry {
        let context = "/oic_rest"
        // No level: other credentials count on the route as they would without this login.
        return AuthenticationSchemeEntry(
            name: name, level: 0, challengeMethod: .form, challengeRedirectURL: "/oam/server/",
            challengeURL: "\(RouteLogin.path)?serviceDomain=\(name)", contextType: "customWar", contextValue: context,
            challenges: [],
            pointer: "/authenticationSchemes")
    }

    /// - Parameter realm: of its users.
    func backend(realm: String) -> BackendEntry {
        // Sessions count while its tokens do; it has no client that could ask for one.
        BackendEntry(
            backend: Backend(name: name, version: "1", mobileBackendID: name, realm: realm, httpBasic: false))
    }

    var domain: ServiceDomainEntry {
        var authentication = DomainAuthenticationEntry()
        authentication.relyingParty = RelyingPartyEntry(providers: [provider], inline: [], exposesToken: false)
        var application = MobileApplicationSettings(name: "browser")
        (application.sessionTimeout, application.idleTimeout) = (Int64(sessionSeconds), Int64(idleSeconds))
        return ServiceDomainEntry(
            name: name, services: [], isMobile: false, authentication: authentication, wipesDevices: false,
            deniedDevices: [], applications: [MobileApplicationEntry(settings: application, backend: backend)],
            limits: ServiceDomainLimits())
    }
}

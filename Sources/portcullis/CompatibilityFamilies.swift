import Configuration
import Model

/// The one list of families.
enum CompatibilityFamilies {
    static func all() -> [any CompatibilityFamily] {
        #if Compatibility
            [MobileSocialFamily(), ApplicationFamily(), UserProfileFamily(), SignOnFamily()]
        #else
            []
        #endif
    }

    /// The settings that need a family, by their places, where the program has none.
    static func unmet(_ configuration: GatewayConfiguration) -> [String] {
        #if Compatibility
            return []
        #else
            let logins = configuration.routes.indices.filter { configuration.routes[$0].login != nil }
            let isWritten = !configuration.serviceDomains.allSatisfy { RouteLogin.isDerived($0.name) }
            let sections: [String?] = [
                isWritten ? "/serviceDomains" : nil,
                configuration.applications.isEmpty ? nil : "/applications",
                configuration.userProfile.isEnabled ? "/userProfile/enabled" : nil,
                configuration.singleSignOn.capturesRedirect ? "/singleSignOn/captureRedirect" : nil,
            ]
            let backends = configuration.backends.enumerated().flatMap { index, entry in
                [
                    entry.backend.enableSSO ? "/backends/\(index)/enableSso" : nil,
                    entry.facebook != nil ? "/backends/\(index)/facebook" : nil,
                ]
            }
            return (sections + backends).compactMap(\.self) + logins.map { "/routes/\($0)/login" }
        #endif
    }
}

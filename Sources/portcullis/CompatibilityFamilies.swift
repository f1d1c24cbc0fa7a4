import Configuration
import Issuers
import Model

#if Compatibility
    import MobileSocial
#endif

/// The one list of families.
enum CompatibilityFamilies {
    static func all() -> [any CompatibilityFamily] {
        #if Compatibility
            [MobileSocialFamily(), ApplicationFamily(), UserProfileFamily(), SignOnFamily()]
        #else
            []
        #endif
    }

    /// The issuer modules of families.
    static var issuerModules: [IssuerModule] {
        #if Compatibility
            [.mobileSocial]
        #else
            []
        #endif
    }

    /// The settings that need a family, by their places, where the program has none.
    static func unmet(_ configuration: GatewayConfiguration) -> [String] {
        #if Compatibility
            return []
        #else
            let sections: [String?] = [
                configuration.serviceDomains.isEmpty ? nil : "/serviceDomains",
                configuration.applications.isEmpty ? nil : "/applications",
                configuration.userProfile.isEnabled ? "/userProfile/enabled" : nil,
                configuration.singleSignOn.capturesRedirect ? "/singleSignOn/captureRedirect" : nil,
            ]
            let clients = configuration.clients.flatMap { entry in
                [
                    entry.client.enableSSO ? "\(entry.pointer)/enableSso" : nil,
                    entry.facebook != nil ? "\(entry.pointer)/facebook" : nil,
                ]
            }
            return (sections + clients).compactMap(\.self)
        #endif
    }
}

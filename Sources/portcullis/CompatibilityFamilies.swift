import Configuration
import Issuers
import Model

#if Compatibility
    import ApiOmat
    import MobileSocial
    import SingleSignOn
    import UserProfiles
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

    /// The sections of families.
    static var sections: [SectionExtension] {
        #if Compatibility
            [UserProfileSection.declaration, SingleSignOnSection.declaration, Application.section]
        #else
            ["applications", "userProfile", "singleSignOn"].map(SectionExtension.absent)
        #endif
    }

    /// The settings that need a family, by their places, where the program has none.
    static func unmet(_ configuration: GatewayConfiguration) -> [String] {
        #if Compatibility
            return []
        #else
            let sections = [configuration.serviceDomains.isEmpty ? nil : "/serviceDomains"]
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

import Configuration
import Issuers
import Model

#if Compatibility
    import ApiOmat
    import Facebook
    import MobileSocial
    import ServiceDomains
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

    /// What administrators can do with families.
    static func operations(of families: [any CompatibilityFamily] = all()) -> [AdminOperation] {
        families.compactMap { $0 as? any AdministeredFamily }.flatMap(\.operations)
    }

    /// The issuer modules of families.
    static var issuerModules: [IssuerModule] {
        #if Compatibility
            [.mobileSocial]
        #else
            []
        #endif
    }

    /// What `portcullis init` offers for clients of families; nil for nothing.
    static var draft: FamilyDraft? {
        #if Compatibility
            .mobileSocial
        #else
            nil
        #endif
    }

    /// The sections of families.
    static var sections: [SectionExtension] {
        #if Compatibility
            [
                UserProfileSection.declaration, SingleSignOnSection.declaration, ServiceDomainsSection.declaration,
                Application.section, Application.ofRoutes, SocialLogin.declaration, SingleSignOnSection.ofBackends,
            ]
        #else
            ["serviceDomains", "applications", "userProfile", "singleSignOn"].map(SectionExtension.absent)
                + ["facebook", "enableSso"].map(SectionExtension.absentBackendKey) + [.absentRouteKey("application")]
        #endif
    }
}

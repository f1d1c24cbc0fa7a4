#if Compatibility
    import Configuration
    import Crypto
    import Identity
    import OAuthServer
    import UserProfiles

    /// User profiles.
    final class UserProfileFamily: CompatibilityFamily {
        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext) {
            guard context.configuration[UserProfileSection.self].isEnabled else { return }
            var settings = UserProfileService.Settings(
                users: foundation.users, hasher: foundation.hasher, catalogue: foundation.catalogue)
            settings.roleDescriptions = context.configuration.roles.descriptions
            settings.realm = foundation.tokens.realm
            settings.registry = context.retained.registry
            settings.userTokens = parts.userTokens
            parts.add(UserProfileService(settings: settings).handlers)
        }
    }
#endif

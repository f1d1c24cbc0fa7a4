#if Compatibility
    import Configuration
    import Crypto
    import Identity
    import OAuthServer
    import UserProfiles

    /// User profiles.
    final class UserProfileFamily: CompatibilityFamily {
        func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ assembly: inout Assembly) {
            guard assembly.configuration.userProfile.isEnabled else { return }
            var settings = UserProfileService.Settings(
                users: foundation.users, hasher: foundation.hasher, catalogue: foundation.catalogue)
            settings.roleDescriptions = assembly.configuration.roles.descriptions
            settings.realm = foundation.tokens.realm
            settings.registry = assembly.retained.registry
            parts.add(UserProfileService(settings: settings).handlers)
        }
    }
#endif

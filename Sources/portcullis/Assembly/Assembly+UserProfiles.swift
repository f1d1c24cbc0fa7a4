import Configuration
import Crypto
import Identity
import Tokens

extension Assembly {
    /// What answers for user profiles; nil where they are off.
    func userProfiles(_ users: UserStore, _ hasher: PasswordHasher, _ catalogue: RoleCatalogue) -> UserProfiles? {
        guard configuration.userProfile.isEnabled else { return nil }
        var settings = UserProfiles.Settings(users: users, hasher: hasher, catalogue: catalogue)
        settings.roleDescriptions = configuration.roleDescriptions
        settings.registry = lasting.registry
        return UserProfiles(settings: settings)
    }
}

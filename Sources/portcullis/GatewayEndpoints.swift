import ACME
import LoginPages
import Model
import OAuthServer

#if Compatibility
    import ApiOmat
    import MobileSocial
    import SingleSignOn
    import UserProfiles
#endif

/// The one list of the gateway's endpoints.
enum GatewayEndpoints {
    static let all: [EndpointDescriptor] =
        families + ProviderEndpoints.all + OAuthEndpoints.all + [ACMEChallenge.endpoint]

    /// User profiles come first, since their paths are inside those of service domains.
    private static var families: [EndpointDescriptor] {
        #if Compatibility
            UserProfileEndpoints.all + ApplicationEndpoints.all + MobileSocialEndpoints.all + SingleSignOnEndpoints.all
        #else
            []
        #endif
    }
}

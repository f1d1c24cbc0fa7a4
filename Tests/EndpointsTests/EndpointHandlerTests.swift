import ApiOmat
import Endpoints
import HTTP
import LoginPages
import MobileSocial
import Model
import OAuthServer
import SingleSignOn
import TestSupport
import Testing
import UserProfiles

/// What the data plane resolves when a configuration is put into force.
@Suite struct EndpointHandlerTests {
    private static let endpoints =
        UserProfileEndpoints.all + ApplicationEndpoints.all + MobileSocialEndpoints.all + SingleSignOnEndpoints.all
        + ProviderEndpoints.all + OAuthEndpoints.all
    /// All of them.
    private static let families: Families = {
        var families = Mobile().service
        families.add(Apps().tokens.handlers)
        families.add(Profiles().profiles.handlers)
        families.add(ProtectedResources([]).handlers)
        let signOn = SignOn().settings.families
        for endpoint in endpoints {
            if let handler = signOn.handler(of: endpoint) { families.add([endpoint: handler]) }
        }
        return families
    }()

    @Test("every endpoint has a handler", arguments: endpoints)
    func everyEndpointHasAHandler(_ endpoint: EndpointDescriptor) {
        #expect(Self.families.handler(of: endpoint) != nil)
    }

    @Test("bodies over the limit are refused", arguments: [EndpointDescriptor.token, .providerCallback])
    func longBodiesAreRefused(_ endpoint: EndpointDescriptor) throws {
        let handler = try #require(Self.families.handler(of: endpoint))
        func answer(_ length: Int) -> EndpointResponse {
            let body = [UInt8](repeating: 0, count: length)
            return handler(EndpointRequest(method: .post, path: "/", body: body), Service.now).settled()
        }
        #expect(answer(endpoint.largestBody + 1).status == 413)
        #expect(answer(endpoint.largestBody).status != 413)
    }
}

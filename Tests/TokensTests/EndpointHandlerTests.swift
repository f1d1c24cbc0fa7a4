import Endpoints
import HTTP
import Model
import TestSupport
import Testing
import Tokens

/// What the data plane resolves when a configuration is put into force.
@Suite struct EndpointHandlerTests {
    @Test(arguments: EndpointFamily.all.flatMap(\.endpoints))
    func everyEndpointHasAHandler(_ endpoint: EndpointDescriptor) {
        #expect(Service.service().handler(of: endpoint) != nil)
    }

    @Test(arguments: [EndpointDescriptor.token, .providerCallback])
    func longBodiesAreRefused(_ endpoint: EndpointDescriptor) throws {
        let handler = try #require(Service.service().handler(of: endpoint))
        func answer(_ length: Int) -> EndpointResponse {
            let body = [UInt8](repeating: 0, count: length)
            return handler(EndpointRequest(method: .post, path: "/", body: body), Service.now).settled()
        }
        #expect(answer(endpoint.largestBody + 1).status == 413)
        #expect(answer(endpoint.largestBody).status != 413)
    }
}

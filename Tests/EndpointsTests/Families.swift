import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TestSupport

/// The endpoints of several families, put together as the gateway does.
struct Families: Sendable {
    private var handlers = EndpointHandlers()
    private var returns: [LoginPurpose.Kind: LoginReturn] = [:]

    init(_ tokens: TokenService) { add(tokens.handlers) }

    mutating func add(
        _ handlers: [EndpointDescriptor: EndpointHandler], returns: [LoginPurpose.Kind: LoginReturn] = [:]
    ) {
        self.handlers.add(handlers)
        self.returns.merge(returns) { first, _ in first }
    }

    /// Comes last, with what the others have said of browsers that come back.
    mutating func add(_ providers: ProviderLogin?) {
        if let providers { add(providers.handlers(returns)) }
    }

    func handler(of endpoint: EndpointDescriptor) -> EndpointHandler? { handlers.handler(of: endpoint) }

    /// Answers by the handler that the data plane would resolve.
    func handle(_ request: EndpointRequest, endpoint: EndpointDescriptor, now: Int64) -> Effect<EndpointResponse> {
        handler(of: endpoint)?(request, now) ?? .done(EndpointResponse.problem(.notFound, "no handler"))
    }

    /// The answer, blocking work done at once.
    func answer(
        _ request: EndpointRequest, _ endpoint: EndpointDescriptor = .token, at now: Int64 = Service.now
    ) -> EndpointResponse {
        handle(request, endpoint: endpoint, now: now).settled()
    }
}

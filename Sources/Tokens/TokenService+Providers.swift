import Endpoints
import HTTP
import Identity
import Outbound

/// Browsers that come back from identity providers, each to whoever has sent it.
extension TokenService {
    func receiveFromProvider(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let providers = settings.providerLogin else { return .deny(.unknownService) }
        guard request.method != .post else { return providers.take(request, now: now) }
        return providers.receive(request, now: now).then { [self] answer in
            switch answer {
            case .ended(let response): return .done(response)
            case .arrived(let arrival):
                return goOn(arrival, providers).map { response in
                    var response = response
                    response.headers += arrival.fields
                    return response
                }
            }
        }
    }

    private func goOn(_ arrival: ProviderLogin.Arrival, _ providers: ProviderLogin) -> Effect<EndpointResponse> {
        let (errand, result, browser) = (arrival.errand, arrival.result, arrival.browser)
        switch (errand.kind, settings.browserLogin, signOnRelay) {
        case (.form, let login?, _): return login.finish(form: errand.texts, result, browser)
        case (.application, let login?, _): return login.finish(application: errand.texts, result, browser)
        case (.relay, _, let relay?): return relay.arrive(errand.texts, result, browser, providers)
        default: return .done(BrowserLoginFailure.unknownService.response)
        }
    }
}

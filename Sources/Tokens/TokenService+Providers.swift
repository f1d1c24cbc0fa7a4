import Identity

/// Browsers that come back from identity providers, each to whoever has sent it.
extension TokenService {
    func receiveFromProvider(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let providers = settings.providerLogin else { return .deny(.unknownService) }
        return providers.receive(request, now: now).then { [self] answer in
            switch answer {
            case .ended(let response): return .done(response)
            case .arrived(let errand, let result, let browser):
                switch (errand.kind, settings.browserLogin, signOnRelay) {
                case (.form, let login?, _): return login.finish(form: errand.texts, result, browser)
                case (.application, let login?, _): return login.finish(application: errand.texts, result, browser)
                case (.relay, _, let relay?): return relay.arrive(errand.texts, result, browser, providers)
                default: return .done(BrowserLoginFailure.unknownService.page)
                }
            }
        }
    }
}

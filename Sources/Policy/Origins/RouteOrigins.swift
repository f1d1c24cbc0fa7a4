import Model

/// Makes the CORS policies of routes.
struct RouteOrigins {
    /// That of routes without origins or settings of their own, and of endpoints.
    let cors: CORSPolicy
    /// That of endpoints which serve clients.
    let ofClients: CORSPolicy
    private let settings: CORSSettings
    private let ownOrigins: [WebOrigin]

    init(_ settings: PolicySettings) {
        self.settings = settings.cors
        ownOrigins = settings.ownOrigins
        cors = CORSPolicy(settings.cors, allowed: settings.allowOrigin, ownOrigins: settings.ownOrigins)
        let allowed = ([settings.allowOrigin] + settings.clientOrigins).flatMap(\.patterns).map(\.description)
        ofClients =
            settings.clientOrigins.isEmpty
            ? cors
            : CORSPolicy(
                settings.cors, allowed: AllowOriginPolicy(allowed.joined(separator: ",")),
                ownOrigins: settings.ownOrigins)
    }

    /// The policy of a route. The gateway's list on trial is for routes without a list of their own.
    func policy(_ options: RouteOptions) -> CORSPolicy {
        guard options.cors != nil || options.ownOrigins != nil else { return cors }
        var own = options.cors?.completed(by: settings) ?? settings
        own.trialOrigin = options.cors?.trialOrigin ?? (options.ownOrigins == nil ? settings.trialOrigin : nil)
        return CORSPolicy(own, allowed: options.ownOrigins ?? cors.allowed, ownOrigins: ownOrigins)
    }
}

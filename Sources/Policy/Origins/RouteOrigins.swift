import Model

/// What routes without origins or CORS settings of their own have.
struct RouteOrigins {
    let allowed: AllowOriginPolicy
    let cors: CORSPolicy
    private let settings: CORSSettings
    private let ownOrigins: [WebOrigin]

    init(_ settings: PolicySettings) {
        allowed = settings.allowOrigin
        self.settings = settings.cors
        ownOrigins = settings.ownOrigins
        cors = CORSPolicy(settings.cors, ownOrigins: settings.ownOrigins)
    }

    /// The policy of a route. The gateway's list on trial is for routes without a list of their own.
    func policy(_ options: RouteOptions) -> CORSPolicy {
        let hasOwnList = options.ownOrigins != nil && settings.trialOrigin != nil
        guard options.cors != nil || hasOwnList else { return cors }
        var own = (options.cors ?? CORSSettings()).completed(by: settings)
        if options.ownOrigins == nil { own.trialOrigin = own.trialOrigin ?? settings.trialOrigin }
        return CORSPolicy(own, ownOrigins: ownOrigins)
    }
}

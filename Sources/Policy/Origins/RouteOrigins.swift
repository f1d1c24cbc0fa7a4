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

    /// The policy of a route.
    func policy(_ own: CORSSettings) -> CORSPolicy {
        CORSPolicy(own.completed(by: settings), ownOrigins: ownOrigins)
    }
}

import Model

/// Endpoints of each sort that the decision tells apart.
extension EndpointDescriptor {
    static let token = EndpointDescriptor("token", at: "/token", "POST")
    static let jwks = EndpointDescriptor("jwks", at: "/.well-known/jwks.json", "GET, HEAD", [], cost: .document)
    static let whoAmI = EndpointDescriptor(
        "who_am_i", at: "/mobile/platform/users/~", "GET, HEAD", .needsPrincipal, cost: .document)
    static let applicationUsers = EndpointDescriptor("application_users", at: "/yambas/rest/apps/", "GET")
}

/// Settings of a route that the data plane uses as they are configured.
package struct RouteOptions: Sendable {
    /// Overrides `Security_AllowOrigin` (CORS-10).
    package var allowOrigin: AllowOriginPolicy?
    /// Overrides those settings of the gateway that it has.
    package var cors: CORSSettings?
    /// Set if the upstream is behind a Webgate (CACHE-08).
    package var challengeRule: UpstreamChallengeRule?
    /// Spellings of paths that are forwarded as received.
    package var keptSpellings: PathSpellings = []
    /// How the forwarded path differs from the requested one, before the path of the upstream's URL.
    package var rewrite = RewriteRule()
    /// Overrides the upstream's.
    package var hostHeader: HostHeader?
    /// Fields of requests to the upstream.
    package var requestFields: FieldRules?
    /// Fields of responses to the client.
    package var responseFields: FieldRules?
    /// From which addresses requests are accepted; nil for all.
    package var addresses: AddressRule?
    /// Where tokens are; nil for `Authorization: Bearer` and the places of issuers.
    package var tokenSources: [TokenSource]?
    /// The kinds of credentials that count, in their order; nil for all.
    package var authenticators: [Authenticator]?
    /// Set if the route describes itself to OAuth clients.
    package var protectedResource: ProtectedResource?
    /// Set if messages to an MCP server are judged.
    package var mcp: MCPRules?
    /// Whether the client's credential is forwarded to the upstream (GW-09).
    package var forwardsCredential = false
    /// Whether a token of a client that has registered itself has all roles of its user here.
    package var trustsRegisteredClients = false
    /// Which fields the upstream gets about the client's certificate (GW-09); nil for none.
    package var certificateForwarding: CertificateForwarding?
    /// Whether a client certificate counts as the credential where no other one came.
    package var takesCertificates = false
    /// Bytes of a request body, 0 for any number; nil for the gateway's limit.
    package var maximumBodyBytes: Int?
    /// Milliseconds until the response begins; nil for the upstream's.
    package var responseTimeout: Int64?
    /// Whether responses of any type end with the credential that they were admitted with.
    package var endsWithToken = false
    /// Whether requests are in the access log.
    package var isLogged = true
    /// How errors are answered, before the rules for all routes.
    package var errors = ErrorRules()
    /// Protocols of `Upgrade` (RFC 9110 section 7.8), compared without case. `h2c` is never accepted: its requests would
    /// bypass the decision.
    package var upgrades = ["websocket"]

    /// Origins of its own; nil for those of `Security_AllowOrigin`.
    package var ownOrigins: AllowOriginPolicy? { allowOrigin ?? cors?.allowOrigin }

    package init() {}
}

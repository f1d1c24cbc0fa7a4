import Authorization
import Crypto
import Endpoints
import Identity
import Issuers
import LoginPages
import Model
import OAuthServer
import Outbound
import Policy
import TokenStorage

/// A family of endpoints for clients of other products, which the gateway can be built without. One object lasts as long
/// as the process, and keeps what outlives configurations.
protocol CompatibilityFamily: AnyObject, Sendable {
    /// Ids of the records that end with a session's of this family, beside its own.
    func remains(of session: TokenRecord) -> [String]

    /// Tells the token service what it offers.
    func announce(in settings: inout TokenServiceSettings, _ context: AssemblyContext)
    /// Tells logins for clients what its pages need.
    func prepare(_ settings: inout LoginFlow.Settings, tokens: TokenService, _ context: AssemblyContext)
    /// Builds what answers its endpoints by a configuration.
    func build(_ parts: inout EndpointParts, on foundation: EndpointFoundation, _ context: AssemblyContext)
}

extension CompatibilityFamily {
    func remains(of session: TokenRecord) -> [String] { [] }
    func announce(in settings: inout TokenServiceSettings, _ context: AssemblyContext) {}
    func prepare(_ settings: inout LoginFlow.Settings, tokens: TokenService, _ context: AssemblyContext) {}
}

/// What families build on, by one configuration.
struct EndpointFoundation {
    let users: UserStore
    let hasher: PasswordHasher
    let catalogue: RoleCatalogue
    let clients: Clients
    /// Of the token service.
    let key: SigningKey
    let store: RetainedStore.Opened
    let seals: BrowserSeals
    let challenges: ChallengeIssuer
    let modules: [String: GuardedIssuer]
    let tokens: TokenService
    /// The logins at identity providers.
    let providers: ProviderLogin
    /// Logins of browsers for clients; nil where no client has them.
    let logins: LoginFlow?
    /// The look of pages.
    let pages: PageLook
}

/// What families have built: the handlers of their endpoints, and what the decision asks of them.
struct EndpointParts {
    var handlers = EndpointHandlers()
    /// How logins at identity providers go on, by what they were begun for.
    var returns: [LoginPurpose.Kind: LoginReturn] = [:]
    /// Resolves bearer tokens that are no JWTs.
    var opaqueTokens: (any OpaqueTokens)?
    /// Verifies tokens of social logins.
    var socialVerifier: (any SocialVerifier)?
    /// Verifies user tokens of service domains for other services.
    var userTokens:
        (
            @Sendable (String, Int64, @escaping @Sendable (Principal) -> Effect<EndpointResponse>) ->
                Effect<EndpointResponse>
        )?

    mutating func add(
        _ handlers: [EndpointDescriptor: EndpointHandler], returns: [LoginPurpose.Kind: LoginReturn] = [:]
    ) {
        self.handlers.add(handlers)
        self.returns.merge(returns) { first, _ in first }
    }
}

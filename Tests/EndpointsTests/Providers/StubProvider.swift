import Bytes
import Endpoints
import Identity
import Model
import Outbound
import Synchronization
import TokenStorage

@testable import LoginPages
@testable import MobileSocial

/// An identity provider that says what a test has it say, without any calls.
final class StubProvider: BrowserIdentityProvider {
    private struct State {
        var result: Result<ProvidedIdentity, ProviderFailure>
        var begun: [LoginStart] = []
        var finished: [(ProviderCallback, LoginSecrets)] = []
        var redeemed: [String] = []
        var read: [String] = []
        var notice: Result<LogoutNotice, ProviderFailure> = .failure(.answer("none"))
        var isDown = false
    }

    let name: String
    let rules: ProviderRules
    /// What happens while it thinks about a code.
    let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
    let answerFields: AnswerFields?
    private let state: Mutex<State>

    init(_ name: String = "idp", rules: ProviderRules = StubProvider.rules(), answersByForm: Bool = false) {
        self.name = name
        self.rules = rules
        answerFields = answersByForm ? AnswerFields(answer: "SAMLResponse", state: "RelayState") : nil
        state = Mutex(State(result: .success(StubProvider.identity(provider: name))))
    }

    static func rules(virtual: Bool = true, _ change: (inout ProviderRules) -> Void = { _ in }) -> ProviderRules {
        var rules = ProviderRules(
            identity: ExternalIdentityRules(
                virtualUserEnabled: virtual,
                roleMapping: RoleMapping(sources: ["groups"], defaultRoles: ["Guest"])))
        rules.identity.usernamePrefix = "idp:"
        change(&rules)
        return rules
    }

    static func identity(
        _ subject: String = "248289", provider: String = "idp", sid: String? = "s-1", authenticatedAt: Int64? = nil,
        _ more: [(String, JSONNode)] = []
    ) -> ProvidedIdentity {
        let claims = [("sub", JSONNode(.string(subject)))] + more
        return ProvidedIdentity(
            provider: provider, subject: subject, sessionID: sid,
            claims: JSONNode(.object(claims.map { JSONMember(name: $0.0, node: $0.1) })), accessToken: "provider-at",
            authenticatedAt: authenticatedAt)
    }

    func answer(_ result: Result<ProvidedIdentity, ProviderFailure>) { state.withLock { $0.result = result } }
    func answer(_ subject: String, sid: String? = "s-1", _ more: [(String, JSONNode)] = []) {
        answer(.success(StubProvider.identity(subject, provider: name, sid: sid, more)))
    }
    func say(_ notice: Result<LogoutNotice, ProviderFailure>) { state.withLock { $0.notice = notice } }
    func goAway() { state.withLock { $0.isDown = true } }

    var begun: [LoginStart] { state.withLock { $0.begun } }
    var finished: [(ProviderCallback, LoginSecrets)] { state.withLock { $0.finished } }
    var read: [String] { state.withLock { $0.read } }

    /// The redirect URI that it received, when it saw a code.
    var redeemed: [String] { state.withLock { $0.redeemed } }

    func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>> {
        let isDown = state.withLock { state in
            state.begun.append(start)
            return state.isDown
        }
        if isDown { return .done(.failure(.unavailable("connect"))) }
        return .done(.success(LoginRedirect(location: "https://\(name).example/authorize?state=\(start.state)")))
    }

    func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        let event = meanwhile.withLock { event in
            defer { event = nil }
            return event
        }
        event?()
        return .done(
            state.withLock { state in
                state.finished.append((callback, secrets))
                state.redeemed.append(redirectURI)
                return state.result
            })
    }

    /// A form is `REQUEST ASSERTION` of the user to name, and is believed.
    func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>> {
        let words = form.response.split(separator: " ").map(String.init)
        return .done(
            state.withLock { state in
                state.read.append(form.response)
                return state.result.map { PostedIdentity(identity: $0, requestID: words[0], assertionID: words[1]) }
            })
    }

    static func requestID(_ secrets: LoginSecrets) -> String { "r-\(secrets.nonce)" }
    func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool {
        requestID == StubProvider.requestID(secrets)
    }

    var metadata: (contentType: String, document: [UInt8])? {
        answersByForm ? ("application/samlmetadata+xml", Array("<metadata/>".utf8)) : nil
    }

    func logout(_ request: ProviderLogoutRequest, now: Int64) -> Effect<ProviderLogoutForm?> {
        let state = request.state.map { "&state=\($0)" } ?? ""
        return .done((try? WebURL("https://\(name).example/logout?client_id=gateway\(state)")).map { .redirect($0) })
    }

    func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>> {
        .done(state.withLock { $0.notice })
    }
}

extension Mobile {
    /// The service domain of the browsers with users of a provider.
    static func withProvider(
        _ providers: [StubProvider], store: any TokenStore = MemoryTokenStore(),
        throttle: LoginThrottle = LoginThrottle(),
        _ change: (inout ServiceDomain) -> Void = { _ in }
    ) -> Mobile {
        Mobile(store: store, providers: providers, throttle: throttle) { domain in
            domain.loginMethods = [.provider(.init(provider: providers[0].name, rules: providers[0].rules))]
            domain.applications[0].urlScheme = "demoapp"
            change(&domain)
        }
    }
}

extension Browser {
    static let application = "/oic_rest/relyingparty"

    /// `state` as the provider has it, out of where the browser was sent.
    func state(_ response: EndpointResponse) -> String {
        response.field("Location")?.split(separator: "state=").last.map(String.init) ?? ""
    }

    func callback(
        _ state: String, _ query: String = "code=c-1", provider: String = "idp", at seconds: Int64 = 0
    ) -> EndpointResponse {
        get(
            "/oauth2/callback/\(provider)", query: "\(query)&state=\(state)", endpoint: .providerCallback,
            at: seconds)
    }

    /// The whole login by the form of the scheme.
    @discardableResult
    func logInAtProvider(at seconds: Int64 = 0) -> EndpointResponse {
        callback(state(get(at: seconds)), at: seconds)
    }
}

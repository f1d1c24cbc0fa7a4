import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport

/// A provider that says what a test has it say, and remembers what it was asked. Without a socket.
final class FakeProvider: OutboundCaller {
    static let issuer = "https://idp.example"
    static let clientID = "gateway"
    static let now: Int64 = 1_800_000_000

    /// What it says; every member may be changed.
    struct Script: Sendable {
        var discovery = """
            {"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize?tenant=a",\
            "token_endpoint":"https://idp.example/token","userinfo_endpoint":"https://idp.example/userinfo",\
            "jwks_uri":"https://idp.example/keys","end_session_endpoint":"https://idp.example/logout"}
            """
        var keys = KeyFixture.jwks("a")
        /// The claims of the ID token; nil for no token.
        var claims: [(String, JSONNode?)] = []
        var signer = "a"
        var type: String = "JWT"
        /// In place of the token that is made of the claims.
        var idToken: String?
        var accessToken = "at-1"
        var token: OutboundResult?
        var userInfo: OutboundResult = FakeProvider.json(#"{"sub":"248289","email":"ann@example.com"}"#)
        /// By path: no answer, or another one.
        var results: [String: OutboundResult] = [:]
    }

    private let script: Mutex<Script>
    private let asked = Mutex<[OutboundCall]>([])

    init(_ change: (inout Script) -> Void = { _ in }) {
        var made = Script()
        change(&made)
        script = Mutex(made)
    }

    func change(_ change: (inout Script) -> Void) { script.withLock { change(&$0) } }

    var calls: [OutboundCall] { asked.withLock { $0 } }
    func calls(to path: String) -> [OutboundCall] { calls.filter { $0.url.target == path } }

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        asked.withLock { $0.append(call) }
        let script = script.withLock { $0 }
        then(script.results[call.url.target] ?? answer(call, script))
    }

    private func answer(_ call: OutboundCall, _ script: Script) -> OutboundResult {
        switch call.url.target {
        case "/.well-known/openid-configuration": FakeProvider.json(script.discovery)
        case "/keys": .response(OutboundResponse(status: 200, body: script.keys))
        case "/token": script.token ?? FakeProvider.json(FakeProvider.reply(script))
        case "/userinfo": script.userInfo
        default: .response(OutboundResponse(status: 404))
        }
    }

    private static func reply(_ script: Script) -> String {
        let token = script.idToken ?? FakeProvider.token(script.claims, script.signer, type: script.type)
        let member = script.idToken?.isEmpty == true ? "" : #","id_token":"\#(token)""#
        return #"{"access_token":"\#(script.accessToken)","token_type":"Bearer","expires_in":300\#(member)}"#
    }

    static func json(_ text: String, status: Int = 200) -> OutboundResult {
        .response(OutboundResponse(status: status, body: Array(text.utf8)))
    }

    /// The claims of a token that is good, with changes; a claim of nil is left out.
    static func token(
        _ changes: [(String, JSONNode?)], _ signer: String = "a", type: String = "JWT", nonce: String = secrets.nonce
    ) -> String {
        var claims: [(String, JSONNode?)] = [
            ("iss", .text(issuer)), ("aud", .text(clientID)), ("sub", .text("248289")), ("nonce", .text(nonce)),
            ("iat", .int(now)), ("exp", .int(now + 300)),
        ]
        for change in changes {
            claims.removeAll { $0.0 == change.0 }
            claims.append(change)
        }
        return sign(claims, signer, type: type)
    }

    static func sign(_ claims: [(String, JSONNode?)], _ signer: String = "a", type: String = "JWT") -> String {
        let members = claims.compactMap { name, node in node.map { JSONMember(name: name, node: $0) } }
        var writer = JSONWriter()
        writer.value(JSONNode(.object(members)))
        let bytes = KeyFixture.signers[signer]?.sign(claims: writer.bytes, type: type) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    static let secrets = LoginSecrets(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", nonce: "n-0S6_WzA2Mj")

    /// The gateway's side of it.
    func provider(
        _ change: (inout AuthorizationCodeProvider.Settings) -> Void = { _ in }
    ) throws -> AuthorizationCodeProvider {
        let discovery = try WebURL("\(FakeProvider.issuer)/.well-known/openid-configuration")
        let keys = try RemoteKeySet(
            RemoteKeySettings(issuer: FakeProvider.issuer, discovery: discovery, keys: nil), caller: self,
            clock: { FakeProvider.now })
        var settings = AuthorizationCodeProvider.Settings(
            name: "idp", place: .openID(issuer: FakeProvider.issuer, discovery: discovery, keys: keys),
            client: OAuth2Client(id: FakeProvider.clientID, authentication: .secretBasic("s3cret")),
            rules: ProviderRules(identity: ExternalIdentityRules(virtualUserEnabled: true)))
        settings.flow.scopes = ["openid", "email"]
        change(&settings)
        return AuthorizationCodeProvider(settings, caller: self)
    }

    static let redirect = "https://gw.example/oauth2/callback/idp"

    static func finish(
        _ provider: AuthorizationCodeProvider, code: String? = "c-1", error: String? = nil, issuer: String? = nil,
        secrets: LoginSecrets = FakeProvider.secrets, now: Int64 = FakeProvider.now
    ) -> Result<ProvidedIdentity, ProviderFailure> {
        provider.finish(
            ProviderCallback(code: code, error: error, issuer: issuer), secrets, redirectURI: redirect, now: now
        ).settled()
    }
}

extension JSONNode {
    static func int(_ number: Int64) -> JSONNode { JSONNode(.number("\(number)")) }
    static func list(_ texts: String...) -> JSONNode { JSONNode(.array(texts.map { .text($0) })) }
}

extension Result {
    var error: Failure? { if case .failure(let failure) = self { failure } else { nil } }
    var value: Success? { try? get() }
}

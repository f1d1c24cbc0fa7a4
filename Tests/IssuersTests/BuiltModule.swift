import Bytes
import Crypto
import Declaration
import Identity
import Issuers
import MobileSocial
import Model
import Outbound
import TestSupport
import Testing

/// Issuers as the composition root makes them of their settings.
enum BuiltModule {
    static func make(
        _ module: IssuerModule, _ values: [String: IssuerValue],
        _ caller: any OutboundCaller = ScriptedCaller(.token("t")),
        _ change: (inout OutboundTransport) -> Void = { _ in }
    ) throws(IssuerProblem) -> any TokenIssuer {
        var dependencies = IssuerDependencies(
            caller: caller, serviceKey: serviceKey, serviceIssuer: "https://gw.example")
        change(&dependencies.transport)
        var keys: [SigningKey] = []
        let node = IssuerValue.object(values).node(&keys)
        dependencies.signingKey = { [keys] field, _ in field.node.integer.map { keys[Int($0)] } }
        var object = Field(node: node, pointer: "", findings: Findings()).object("an issuer")
        let issuer = module.read(&object, dependencies)
        object.finish()
        if let error = object.field.findings.diagnostics.first(where: { $0.severity == .error }) {
            throw IssuerProblem(pointer: String(error.pointer.dropFirst()), message: error.message)
        }
        guard let issuer else { throw IssuerProblem(pointer: "", message: "there is no issuer, and no error") }
        return issuer
    }

    static let serviceKey = SigningKey.generate(.es256)

    static func url(_ text: String) -> IssuerValue {
        guard let url = try? WebURL(text) else { fatalError("\(text) is no URL") }
        return .url(url)
    }

    /// The least that the module `oauth2` needs.
    static func oauth2(_ more: [String: IssuerValue] = [:]) -> [String: IssuerValue] {
        let least: [String: IssuerValue] = [
            "tokenEndpoint": url("https://as.example/token"), "clientId": .text("gate way"),
            "clientSecret": .text("s:e%c"),
        ]
        return least.merging(more) { $1 }
    }

    /// The module `oam` with an account; nil takes a key out.
    static func mobileSocial(_ more: [String: IssuerValue?] = [:]) -> [String: IssuerValue] {
        var values: [String: IssuerValue] = [
            "url": url("https://oam.example:14101"), "username": .text("jdoe"), "password": .text("s3cret"),
        ]
        for (name, value) in more { values[name] = value }
        return values
    }

    static let challenge = UpstreamChallenge(
        webgate: "BackWG", requestContext: Array("encquery%3Dk2%3D%20agentid%3Dwg1".utf8),
        resource: "https://www.example.com/protected/page.html")

    static func request(
        _ subject: String = "joe", token: String = "", client: Client? = Callers.client, webgate: String = "WG",
        previous: IssuedToken? = nil
    ) -> IssueRequest {
        IssueRequest(
            principal: Callers.principal(subject, client: client?.id, token: token), client: client,
            webgate: webgate, previous: previous)
    }
}

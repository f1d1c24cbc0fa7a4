import Foundation
import TestSupport
import Testing

/// Gateways with one Redis server: what the configuration of one takes away from a client is refused by the other, which
/// keeps its files.
@Suite struct SharedClientGrantTests {
    private static let form: Field = "Content-Type: application/x-www-form-urlencoded"
    private static let client = "inv-client:inv-secret"

    private static let settings = [
        "introspection": "true", "refreshTokens": "true", "deviceGrant": "true",
        "tokenExchange": #"{"subjects": ["scheduler/1.0"], "backends": ["scheduler/1.0"]}"#,
        "redirectUris": #"["\#(AuthorizationFixture.redirect)"]"#,
    ]

    private static let backends = """
        [
          {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
           "clientSecret": "inv-secret"\(settings.map { ", \"\($0)\": \($1)" }.joined())},
          {"name": "scheduler", "version": "1.0", "mobileBackendId": "mbe-sch-1", "clientId": "sch-client",
           "clientSecret": "sch-secret"}
        ]
        """

    /// What a client had before its settings changed.
    private struct Held {
        let access: String
        let refresh: String
        let device: String
        let subject: String

        init(_ nodes: SharedStoreNodes) throws {
            let own = JSONText(try nodes.login(1).text)
            let codes = JSONText(try SharedClientGrantTests.ask(nodes, "device_authorization", "scope=openid").text)
            let grant = "grant_type=password&username=joe&password=Welcome1"
            let other = JSONText(try nodes.grant(nodes.gateways[1], grant, client: "sch-client:sch-secret").text)
            access = try #require(own["access_token"].string)
            refresh = try #require(own["refresh_token"].string)
            device = try #require(codes["device_code"].string)
            subject = try #require(other["access_token"].string)
        }
    }

    private static func ask(_ nodes: SharedStoreNodes, _ endpoint: String, _ body: String) throws -> Response {
        try nodes.gateways[1].request("POST", "/oauth2/\(endpoint)", [.basic(client), form], body: body)
    }

    /// Whether each of the requests that a setting opens is served by the other gateway.
    private static func open(_ setting: String, _ nodes: SharedStoreNodes, _ held: Held) throws -> [Bool] {
        let type = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3A"
        switch setting {
        case "introspection": return [try ask(nodes, "introspect", "token=\(held.access)").status == 200]
        case "refreshTokens":
            let fresh = JSONText(try nodes.login(1).text)["refresh_token"].string
            let refresh = "grant_type=refresh_token&refresh_token=\(fresh ?? held.refresh)"
            return [fresh != nil, try ask(nodes, "token", refresh).status == 200]
        case "deviceGrant":
            let poll = try ask(nodes, "token", "\(type)device_code&device_code=\(held.device)").text
            return [
                try ask(nodes, "device_authorization", "scope=openid").status == 200,
                poll.contains("authorization_pending") || poll.contains("slow_down"),
            ]
        case "tokenExchange":
            let access = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
            let exchange = "\(type)token-exchange&subject_token=\(held.subject)&subject_token_type=\(access)"
            return [try ask(nodes, "token", exchange).status == 200]
        default:
            return [try nodes.gateways[1].request("GET", AuthorizationFixture.link("inv-client")).status == 302]
        }
    }

    @Test(
        "what a client may do no more is refused at all gateways, until it is given again",
        arguments: settings.keys.sorted())
    func setting(_ name: String) throws {
        let nodes = try SharedStoreNodes { $0["backends"] = Self.backends }
        let held = try Held(nodes)
        for other in Self.settings.keys { #expect(try Self.open(other, nodes, held).allSatisfy(\.self), "\(other)") }
        let text = try nodes.directories[0].read("gateway.json")
        let setting = try #require(Self.settings[name].map { ", \"\(name)\": \($0)" })
        try #require(text.contains(setting))
        try nodes.directories[0].write("gateway.json", text.replacing(setting, with: ""))
        try nodes.admin(0, "POST", "/admin/reload")
        #expect(try nodes.isSoWithinASecond { try !Self.open(name, nodes, held).contains(true) })
        for other in Self.settings.keys where other != name {
            #expect(try Self.open(other, nodes, held).allSatisfy(\.self), "\(other)")
        }
        try nodes.directories[0].write("gateway.json", text)
        try nodes.admin(0, "POST", "/admin/reload")
        #expect(try nodes.waitUntil { try Self.open(name, nodes, held).allSatisfy(\.self) })
    }
}

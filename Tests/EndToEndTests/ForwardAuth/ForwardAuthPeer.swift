import Foundation
import Testing

/// A proxy with the configuration of its guide, in front of the fixture's upstream, which asks the fixture's gateway.
struct ForwardAuthPeer {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case nginx = "nginx", caddy = "Caddy", envoy = "Envoy"

        var testDescription: String { rawValue }

        var isThere: Bool {
            switch self {
            case .nginx: NginxProxy.isThere
            case .caddy: CaddyProxy.isThere
            case .envoy: EnvoyProxy.isThere
            }
        }

        static var installed: [Kind] { allCases.filter(\.isThere) }
    }

    let fixture: Fixture
    let port: UInt16
    /// Ends with this.
    private let proxy: any Sendable

    /// - Parameter decider: port of the server that decides in place of the gateway.
    init(_ kind: Kind, decider: UInt16? = nil, _ change: (inout FixtureSettings) -> Void = { _ in }) throws {
        let socket = try TCPSocket.listen()
        let fixture = try ForwardAuthFixture.make {
            $0["trustedProxies"] = #"["127.0.0.1"]"#
            // nginx adds its port to the host.
            $0["additionalBaseUrls"] = #"["http://shop.example.com", "http://shop.example.com:\#(socket.port)"]"#
            $0["policies"] = #"{"Security_AllowOrigin": "https://a.example.com"}"#
            change(&$0)
        }
        self.fixture = fixture
        let language = ["nginx": "nginx", "Caddy": "caddyfile", "Envoy": "yaml"][kind.rawValue] ?? ""
        let block = String(try #require(ReadmeTests.block(language, of: "# Forward auth with \(kind.rawValue)")))
        func text(_ prefix: String) throws -> String {
            block.replacing("\(prefix)8081", with: "\(prefix)\(try decider ?? fixture.gateway.port("auth"))")
                .replacing("\(prefix)8080", with: "\(prefix)\(try fixture.gateway.port())")
                .replacing("\(prefix)9000", with: "\(prefix)\(fixture.upstream.port)")
        }
        switch kind {
        case .nginx:
            let nginx = try NginxProxy(text("127.0.0.1:").replacing("127.0.0.1:8000", with: "LISTEN"), on: socket)
            (proxy, port) = (nginx, nginx.port)
        case .caddy:
            let caddy = try CaddyProxy(text("127.0.0.1:").replacing(":8000 {", with: "LISTEN {"))
            (proxy, port) = (caddy, caddy.port)
        case .envoy:
            let envoy = try EnvoyProxy(text("port_value: "))
            (proxy, port) = (envoy, envoy.port)
        }
    }

    func request(_ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil) throws
        -> Response
    {
        try RawConnection.once(port: port, method, target, fields, body: body)
    }
}

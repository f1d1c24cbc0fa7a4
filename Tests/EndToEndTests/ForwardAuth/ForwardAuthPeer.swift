import Foundation
import Testing

/// A proxy with the configuration that `init` writes, in front of the fixture's upstream, which asks the fixture's gateway.
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
        let block = try Self.written(kind.rawValue.lowercased(), ["--config", fixture.gateway.configuration.path])
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

    /// What `init` prints for a kind of proxy.
    static func written(_ kind: String, _ more: [String] = []) throws -> String {
        let result = try Program.run(GatewayProcess.binary, ["init", "--forward-auth", kind] + more)
        try #require(result.ending == .exit(0), "\(result.errors)")
        return result.output
    }

    func request(_ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil) throws
        -> Response
    {
        try RawConnection.once(port: port, method, target, fields, body: body)
    }
}

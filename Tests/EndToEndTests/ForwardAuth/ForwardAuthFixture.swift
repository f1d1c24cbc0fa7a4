import Foundation
import Testing

/// The fixture with a listener for decisions of other proxies, which 127.0.0.1 may ask.
enum ForwardAuthFixture {
    static let listeners = """
        [{"name": "auth", "address": "127.0.0.1", "port": 0, "http2": true,
          "forwardAuth": {"path": "/_auth", "pathPrefix": "/_envoy", "trustedProxies": ["127.0.0.1"]}},
         {"name": "public", "address": "127.0.0.1", "port": 0}]
        """

    static func make(
        files: [String: String] = [:], _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture(files: files) {
            $0["listeners"] = listeners
            change(&$0)
        }
    }

    /// The fields in which a proxy describes a request of 192.0.2.7 for shop.example.com.
    static func description(
        _ method: String, _ target: String, host: String = "shop.example.com", scheme: String = "https",
        client: String = "192.0.2.7"
    ) -> [Field] {
        [
            Field(name: "X-Forwarded-Method", value: method), Field(name: "X-Forwarded-Uri", value: target),
            Field(name: "X-Forwarded-Host", value: host), Field(name: "X-Forwarded-Proto", value: scheme),
            Field(name: "X-Forwarded-For", value: client),
        ]
    }
}

extension Fixture {
    /// Asks as Traefik and Caddy do.
    func ask(_ method: String = "GET", _ target: String, _ fields: [Field] = []) throws -> Response {
        try gateway.request(
            "GET", "/_auth", ForwardAuthFixture.description(method, target) + fields, listener: "auth")
    }

    /// Asks with fields of any kind.
    func ask(fields: [Field], method: String = "GET", path: String = "/_auth") throws -> Response {
        try gateway.request(method, path, fields, listener: "auth")
    }

    /// The code of the response and that of the access log.
    func reason(of response: Response) -> String? {
        let id = response.only("X-Request-Id")
        return gateway.waitForAccess { $0["request_id"].string == id }?["reason"].string
    }
}

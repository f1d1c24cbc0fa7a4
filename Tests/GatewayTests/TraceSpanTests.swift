import Model
import Reactor
import Testing

@testable import Gateway

@Suite struct TraceSpanTests {
    private func text(_ attributes: [(name: String, value: TraceSpan.Value)]) -> String {
        attributes.map { attribute in
            switch attribute.value {
            case .text(let text): "\(attribute.name)=\(text)"
            case .number(let number): "\(attribute.name)=\(number)"
            }
        }
        .joined(separator: " ")
    }

    @Test("server.address has no port, and server.port that of the scheme if none is named")
    func authorities() {
        let cases = [
            ("gw.example.com", true, "gw.example.com", 443), ("gw.example.com", false, "gw.example.com", 80),
            ("gw.example.com:8443", true, "gw.example.com", 8443), ("[2001:db8::1]", false, "2001:db8::1", 80),
            ("[2001:db8::1]:9000", false, "2001:db8::1", 9000), ("a:", true, "a", 443), ("a:99999", true, "a", 443),
        ]
        for (authority, isSecure, host, port) in cases {
            let found = text(TraceSpan.server(authority, isSecure: isSecure))
            #expect(found == "server.address=\(host) server.port=\(port)")
        }
    }

    @Test("a server's own address is split, too")
    func targets() throws {
        let address = try #require(SocketAddress(literal: "::1", port: 81))
        #expect(text(TraceSpan.server(.address(address))) == "server.address=::1 server.port=81")
        #expect(
            text(TraceSpan.server(.name(host: "api.example.com", port: 8080)))
                == "server.address=api.example.com server.port=8080")
        let socket = try #require(SocketAddress(unixPath: "/run/api.sock"))
        #expect(!text(TraceSpan.server(.address(socket))).contains("server.port"))
    }
}

import Foundation
import Testing

/// Issue B: gRPC end to end. grpcio on both sides, the gateway and its authentication between them.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter that has the library; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil), .serialized)
struct GRPCTests {
    private static func script(_ name: String) -> String { Vectors.root.appending(path: "Tests/Interop/\(name)").path }

    @Test(
        "gRPC calls of every kind work, with metadata, trailers, deadlines and errors", arguments: ["public", "secure"])
    func calls(_ listener: String) throws {
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let server = try Program(python, [Self.script("grpc_server.py")])
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let fixture = try SecureFixture {
            $0["upstreams"] = #"{"grpc": {"url": "http://127.0.0.1:\#(port)", "http2": true}}"#
            $0["routes"] = """
                [{"path": "/check.Echo/*", "upstream": "grpc", "methods": ["POST"], "roles": ["Manager"]},
                 {"path": "/check.Managers/*", "upstream": "grpc", "roles": ["Auditor"]}]
                """
        }
        let address = "localhost:\(try fixture.gateway.port(listener))"
        let authority = listener == "secure" ? [fixture.file("tls/cert.pem")] : []
        let client = try Program.run(
            python, [Self.script("grpc_client.py"), address, try fixture.mint()] + authority, .after(.seconds(120)))
        #expect(client.ending == .exit(0), "\(client.errors)")
        #expect(
            client.output.split(separator: "\n") == [
                "unary", "large", "empty", "server_stream", "client_stream", "both_streams", "status", "deadline",
                "cancel", "denied", "parallel",
            ])
        // Streams of all calls have shared a connection of each worker.
        let opened = try fixture.gateway.metrics().sum("portcullis_upstream_connections_opened_total") ?? 0
        #expect((1...2).contains(opened))
        server.signal(SIGTERM)
    }

    @Test("a gRPC stream ends with its token where the route says so", arguments: [true, false])
    func streamsEndWithTheirToken(_ ends: Bool) throws {
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let server = try Program(python, [Self.script("grpc_server.py")])
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let fixture = try SecureFixture {
            $0["upstreams"] = #"{"grpc": {"url": "http://127.0.0.1:\#(port)", "http2": true}}"#
            $0["routes"] = #"[{"path": "/check.Echo/*", "upstream": "grpc", "endWithToken": \#(ends)}]"#
        }
        let client = try Program.run(
            python,
            [
                Self.script("grpc_stream.py"), "localhost:\(try fixture.gateway.port("public"))",
                try fixture.mint("joe", lifetime: 3),
            ],
            .after(.seconds(60)))
        #expect(client.ending == .exit(0), "\(client.errors)")
        #expect(client.output.hasPrefix(ends ? "ended INTERNAL" : "open"), "\(client.output)")
        if ends {
            #expect(fixture.gateway.waitForAccess { $0["reason"].string == "event_stream_expired" } != nil)
        }
        server.signal(SIGTERM)
    }
}

import Foundation
import Testing

/// A request whose stream was refused, and that goes out again to a server which speaks HTTP/1.1 by then: its body was
/// framed for a stream.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter with h2; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil))
struct RegressionRefusedStreamTests {
    @Test(
        "after a refused stream, a retry over HTTP/1.1 uses that connection's framing",
        arguments: ["none", "length", "chunked"])
    func refused(_ framing: String) throws {
        let directory = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("tls", "DNS:localhost,IP:127.0.0.1", in: directory)
        let path = "\(directory.path)/tls"
        let server = try Program(
            ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? "",
            [
                Vectors.root.appending(path: "Tests/Interop/changing_server.py").path, "\(path)/cert.pem",
                "\(path)/key.pem",
            ])
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let fixture = try Fixture { settings in
            settings["upstreams"] = """
                {"stub": {"url": "https://localhost:\(port)", "http2": true, "tls": {"caFile": "\(path)/cert.pem"}}}
                """
        }
        let connection = try fixture.connect()
        let head = "\(framing == "none" ? "GET" : "POST") /open/x HTTP/1.1\r\nHost: h\r\n"
        switch framing {
        case "none": try connection.send(head + "\r\n")
        case "length": try connection.send(head + "Content-Length: 5\r\n\r\n")
        default: try connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        }
        // The gateway knows that the stream is refused before anything of the body comes.
        #expect(server.wait(.output) { $0.contains("again") ? true : nil } != nil, "\(server.lines(.errors))")
        if framing == "length" { try connection.send("hello") }
        if framing == "chunked" { try connection.send("5\r\nhello\r\n0\r\n\r\n") }
        let response = try connection.readResponse()
        #expect(response.status == 200)
        #expect(response.text == (framing == "none" ? "GET " : "POST hello"))
        server.signal(SIGTERM)
    }
}

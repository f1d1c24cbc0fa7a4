import Foundation
import Glibc
import Testing

/// Issue B: what a connection costs that does nothing. deploy/load holds 15,000 of them.
@Suite(
    .tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil),
    .disabled(if: Sanitizer.isOn, "it measures memory"), .serialized)
struct IdleConnectionTests {
    /// Each kind of connection with what it may cost in bytes, buffers of the kernel not counted. That of HTTP/2 has the
    /// library's session with its tables.
    @Test(
        "2,000 idle connections use little memory, which is freed afterwards",
        arguments: [
            ("public", "http/1.1", 6 << 10), ("public", "h2", 24 << 10), ("old", "http/1.1", 40 << 10),
            ("secure", "h2", 56 << 10),
        ])
    func memory(_ listener: String, _ version: String, _ bound: Int) throws {
        let fixture = try SecureFixture()
        // What the first connections bring about is not theirs.
        let warm = try hold(50, fixture, listener, version)
        let before = try fixture.gateway.program.memory("VmRSS")
        let clients = try hold(2000, fixture, listener, version)
        let during = try fixture.gateway.program.memory("VmRSS")
        let each = (during - before) * 1024 / 2000
        print("IdleConnectionTests: \(version) on \(listener): \(each) bytes for each of 2,000 idle connections")
        #expect(each < bound)

        // Others are served meanwhile.
        #expect(try fixture.gateway.request("GET", "/open/x").status == 200)
        let descriptors = try fixture.gateway.program.openDescriptors()
        #expect(descriptors > 2000)
        // SIGTERM may be blocked in what a test starts.
        for client in [clients, warm] { client.signal(SIGKILL) }
        let deadline = Deadline.usual
        while try fixture.gateway.program.openDescriptors() > descriptors - 2000, !deadline.isPast { usleep(10_000) }
        #expect(try fixture.gateway.program.openDescriptors() <= descriptors - 2000)
    }

    private func hold(_ count: Int, _ fixture: SecureFixture, _ listener: String, _ version: String) throws -> Program {
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let script = Vectors.root.appending(path: "Tests/Interop/idle_connections.py").path
        let address = "127.0.0.1:\(try fixture.gateway.port(listener))"
        let authority = listener == "public" ? [] : [fixture.file("tls/cert.pem")]
        let client = try Program(python, [script, "\(count)", version, address] + authority)
        let opened = client.wait(.output, .after(.seconds(120))) { $0.first }
        try #require(opened == "\(count)", "\(client.lines(.errors))")
        return client
    }
}

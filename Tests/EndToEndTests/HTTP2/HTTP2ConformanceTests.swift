import Foundation
import Testing

/// Issue B: the gateway keeps to RFC 9113 and RFC 7541, but for what the README says.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter with hyperframe and hpack; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil), .serialized)
struct HTTP2ConformanceTests {
    @Test("every conformance case passes or has a documented exception", arguments: ["public", "secure"])
    func conformance(_ listener: String) throws {
        let fixture = try SecureFixture()
        // An answer that leaves a client time to send more on its stream.
        fixture.upstream.on("/open/slow") { _ in [.pause(.milliseconds(300)), .reply(body: "/open/slow")] }
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let script = Vectors.root.appending(path: "Tests/Interop/http2_conformance.py").path
        let authority = listener == "secure" ? [fixture.file("tls/cert.pem")] : []
        let result = try Program.run(
            python, [script, "127.0.0.1:\(fixture.gateway.port(listener))"] + authority, .after(.seconds(240)))
        let lines = result.output.split(separator: "\n").map { String($0) }
        let failed = lines.filter { $0.hasPrefix("FAIL") }
        #expect(failed.isEmpty, "\(failed.joined(separator: "\n"))")
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(lines.count { $0.hasPrefix("ok") } >= 160)
        let readme = Vectors.text("README.md").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for line in lines where line.hasPrefix("except") {
            // `except NUMBER TITLE: REASON`
            let title = line.split(separator: " ", maxSplits: 2).last?.split(separator: ": lib").first ?? ""
            let words = title.trimmingCharacters(in: .whitespaces)
            #expect(readme.contains(words), "the README does not say: \(words)")
        }
        #expect(fixture.gateway.program.isRunning)
    }
}

import Foundation
import Glibc
import Testing

/// The gateway with three listeners for clients: `public` (HTTP/1.1, and HTTP/2 by prior knowledge), `secure` (TLS with
/// both) and `old` (TLS with HTTP/1.1 alone). Its certificates are made for it.
final class SecureFixture: Sendable {
    let upstream: StubUpstream
    let gateway: GatewayProcess
    private let directory: ConfigurationDirectory
    private let settings: FixtureSettings

    /// - Parameters:
    ///   - tls: further members of the TLS section of `secure`.
    ///   - certificates: names of certificates, each the names and addresses it is for. The first is the default.
    ///   - change: what the test needs different.
    init(
        tls: String = "", certificates: [(name: String, subject: String)] = [("tls", "DNS:localhost,IP:127.0.0.1")],
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        upstream = try StubUpstream()
        directory = try ConfigurationDirectory()
        for (name, subject) in certificates { try Self.makeCertificate(name, subject, in: directory) }
        var settings = FixtureSettings(upstream: upstream.url)
        settings["listeners"] = Self.listeners(tls, certificates.map(\.name))
        change(&settings)
        self.settings = settings
        try directory.write("gateway.json", settings.text)
        gateway = try GatewayProcess(directory, listeners: ["public", "secure", "old", "admin"])
    }

    deinit { upstream.stop() }

    static func listeners(_ tls: String, _ certificates: [String]) -> String {
        let files = certificates.map { #"{"certFile": "\#($0)/cert.pem", "keyFile": "\#($0)/key.pem"}"# }
        let list = FixtureSettings.list(files)
        return """
            [{"name": "public", "address": "127.0.0.1", "port": 0, "http2": true},
             {"name": "secure", "address": "127.0.0.1", "port": 0, "tls": {\(tls)"certificates": \(list)}},
             {"name": "old", "address": "127.0.0.1", "port": 0, "http2": false, "tls": {"certificates": \(list)}}]
            """
    }

    /// `NAME/cert.pem` and `NAME/key.pem`, the key for its owner alone.
    static func makeCertificate(_ name: String, _ subject: String, in directory: ConfigurationDirectory) throws {
        let path = "\(directory.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=\(name)", "-addext", "subjectAltName=\(subject)", "-keyout", "\(path)/key.pem", "-out",
            "\(path)/cert.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/key.pem")
    }

    static func openssl(_ arguments: String...) throws {
        let result = try Program.run("/usr/bin/openssl", arguments)
        try #require(result.ending == .exit(0), "openssl \(arguments[0]): \(result.errors)")
    }

    /// Path of a file of the configuration directory.
    func file(_ name: String) -> String { "\(directory.path)/\(name)" }

    /// `https://localhost:PORT`, or `http://` for the plain listener.
    func url(_ listener: String = "secure", host: String = "localhost") throws -> String {
        "\(listener == "public" ? "http" : "https")://\(host):\(try gateway.port(listener))"
    }

    /// A user's token as the command line makes it.
    func mint(_ user: String = "joe", lifetime: Int = 3600) throws -> String {
        let result = try CommandLine.run(
            "token", "--config", directory.path, "--client", "inventory/1.0", "--user", user, "--lifetime",
            String(lifetime))
        try #require(result.ending == .exit(0), "\(result.errors)")
        return result.output
    }

    /// Runs curl with the fixture's certificate as authority. `target` begins with the path.
    func curl(
        _ arguments: [String], _ target: String, listener: String = "secure", host: String = "localhost",
        input: String? = nil
    ) throws -> CurlAnswer {
        let result = try Program.run(
            "/usr/bin/curl",
            ["-sS", "-i", "--max-time", "30", "--cacert", file("tls/cert.pem")] + arguments
                + ["\(try url(listener, host: host))\(target)"], input: input)
        return CurlAnswer(result.ending, result.output, result.errors)
    }

    /// Another certificate and key in the place of the first.
    func renewCertificate() throws {
        try Self.makeCertificate("tls", "DNS:localhost,IP:127.0.0.1", in: directory)
    }

    /// Reads the configuration again and waits until the gateway has said so.
    func reload() throws {
        let before = gateway.events("reloaded").count
        gateway.program.signal(SIGHUP)
        _ = try #require(gateway.waitForEvent("reloaded", skipping: before), "\(gateway.everythingWritten)")
    }

    /// Changes the text of `gateway.json`, and reads it.
    func rewrite(_ change: (String) -> String) throws {
        try directory.write("gateway.json", change(settings.text))
        try reload()
    }

    /// The reason counter of `/metrics`.
    func denied(_ reason: String) throws -> Double {
        try gateway.metrics().sum("portcullis_denied_total", ["reason": reason]) ?? 0
    }
}

/// What `curl -i` wrote for one response.
struct CurlAnswer {
    let ending: Program.Ending
    /// `HTTP/2` or `HTTP/1.1`.
    let version: String
    let status: Int
    let body: String
    private let fields: [(name: String, value: String)]
    /// What curl said of an error.
    let errors: String

    /// Interim responses are skipped. curl's lines come without their line feed.
    init(_ ending: Program.Ending, _ output: String, _ errors: String) {
        self.ending = ending
        self.errors = errors
        var rest = output.replacing("\r\n", with: "\n")[...]
        var head: [Substring] = []
        while rest.hasPrefix("HTTP/") {
            let end = rest.range(of: "\n\n") ?? rest.endIndex..<rest.endIndex
            head = rest[..<end.lowerBound].split(separator: "\n")
            rest = rest[end.upperBound...]
            if !head[0].contains(" 1") || head[0].contains(" 101") { break }
        }
        let start = head.first?.split(separator: " ") ?? []
        version = start.first.map { String($0) } ?? ""
        status = start.count > 1 ? Int(start[1]) ?? 0 : 0
        fields = head.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map {
                (String(line[..<$0]), line[line.index(after: $0)...].trimmingCharacters(in: .whitespaces))
            }
        }
        body = String(rest)
    }

    /// Values of a field by its lower-case name.
    func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }

    func only(_ name: String) -> String? { values(name).count == 1 ? values(name)[0] : nil }

    /// All names as they came.
    var names: [String] { fields.map(\.name) }
}

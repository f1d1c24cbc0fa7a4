import Foundation
import Glibc
import TestSupport
import Testing

/// An authority of certificates, `Tests/Interop/acme_authority.py`, and gateways that get theirs there.
final class CertificateFixture: Sendable {
    enum Failure: Error { case didNotStart(String) }

    let url: String
    /// Where the authority has its root.
    let place: ConfigurationDirectory
    private let program: Program

    init() throws {
        place = try ConfigurationDirectory()
        let script = Vectors.root.appending(path: "Tests/Interop/acme_authority.py").path
        program = try Program(LoginProvider.python ?? "", [script, place.path])
        guard let url = program.wait(.output, for: { $0.first }) else {
            throw Failure.didNotStart(program.lines(.errors).joined(separator: "\n"))
        }
        self.url = url
    }

    deinit {
        program.signal(SIGTERM)
        _ = program.waitForEnd()
    }

    var root: String { place.path + "/root.pem" }

    /// The names of all orders so far, those of each joined by blanks.
    var orders: [String] { lines("ORDER") }

    /// Waits until the authority has written something of one kind.
    func waitForLine(_ kind: String) -> Bool {
        program.wait(.output) { lines in lines.contains { $0.hasPrefix("\(kind) ") } ? true : nil } ?? false
    }

    /// What the authority has written of one kind.
    func lines(_ kind: String) -> [String] {
        program.lines(.output).filter { $0.hasPrefix("\(kind) ") }.map { String($0.dropFirst(kind.count + 1)) }
    }

    /// The files of a gateway with these certificates.
    /// - Parameters:
    ///   - path: of the directory; its first part is the fault.
    ///   - more: further members of the section, with a comma in front.
    func files(_ certificates: [String], path: String = "good", more: String = "", store: String = "") -> [String:
        String]
    {
        let entries = certificates.map { names in
            let list = names.split(separator: " ").map { #""\#($0)""# }.joined(separator: ", ")
            return #"{"names": [\#(list)]}"#
        }
        return [
            "gateway.json": """
            {
              "baseUrl": "https://good.example.com",
              "acme": {"directory": "\(url)/\(path)/directory", "termsAgreed": true, "tls": {"caFile": "\(root)"}\(more)},
              "listeners": [
                {"name": "public", "address": "127.0.0.1", "port": 0,
                 "tls": {"certificates": [\(entries.joined(separator: ", "))]}},
                {"name": "plain", "address": "127.0.0.1", "port": 0, "redirectToHttps": true}
              ],\(store)
              "admin": {"port": 0, "adminToken": "env:ADMIN"},
              "upstreams": {"app": {"url": "http://127.0.0.1:9"}}
            }
            """,
            "routes.json": #"[{"path": "/**", "upstream": "app", "public": true}]"#,
        ]
    }

    /// Starts a gateway, which is the one where the authority looks.
    func gateway(
        _ directory: ConfigurationDirectory, environment: [String: String] = [:]
    ) throws -> GatewayProcess {
        let gateway = try GatewayProcess(
            directory, listeners: ["public", "plain", "admin"],
            environment: environment.merging(["ADMIN": String(repeating: "a", count: 40)]) { $1 })
        try look(at: gateway)
        return gateway
    }

    /// The authority looks for challenges at a gateway.
    func look(at gateway: GatewayProcess) throws {
        let result = try Program.run(
            "/usr/bin/curl", ["-sf", "--cacert", root, "-d", "", "\(url)/\(gateway.port("plain"))/look"])
        try #require(result.ending == .exit(0), "\(result.errors)")
    }

    /// What a client sees of the certificate for a name, in the words of `openssl s_client -brief`.
    static func presented(_ name: String, _ gateway: GatewayProcess, root: String) throws -> String {
        try Program.run(
            "/usr/bin/openssl",
            ["s_client", "-connect", "127.0.0.1:\(gateway.port())", "-servername", name, "-CAfile", root, "-brief"]
        ).errors
    }

    /// Whether a client that trusts the authority accepts the certificate for a name.
    func isTrusted(_ name: String, _ gateway: GatewayProcess) throws -> Bool {
        let text = try Self.presented(name, gateway, root: root)
        return text.contains("Verification: OK") && text.contains("CN = \(name)")
    }

    /// Waits until the gateway presents a certificate for a name that clients accept.
    func waitUntilTrusted(_ name: String, _ gateway: GatewayProcess) throws -> Bool {
        let deadline = Deadline.usual
        while try !isTrusted(name, gateway) {
            guard !deadline.isPast else { return false }
        }
        return true
    }
}

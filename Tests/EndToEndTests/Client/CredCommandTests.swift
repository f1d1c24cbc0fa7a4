import Foundation
import Testing

/// `portcullis cred`, and secrets of the configuration that are kept there (CRED-01, GW-12).
@Suite struct CredCommandTests {
    private func run(
        _ directory: ConfigurationDirectory, _ arguments: String..., input: String = ""
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(
            GatewayProcess.binary, ["cred"] + arguments + ["--config", directory.path], input: input)
    }

    @Test("a client authenticates with a stored secret; a missing entry is a configuration error")
    func reference() throws {
        let upstream = try StubUpstream()
        var settings = FixtureSettings(upstream: upstream.url)
        settings["backends"] = FixtureSettings.backends.replacing("\"inv-secret\"", with: "\"cred:inventory\"")
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let refused = try CommandLine.run("check", directory.path)
        #expect(refused.ending == .exit(1))
        #expect(refused.errors.contains(": the credential store has no secret \"inventory\""), "\(refused.errors)")
        #expect(try run(directory, "add", "inventory", input: "kept-secret\n").ending == .exit(0))
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
        let gateway = try GatewayProcess(directory)
        func status(_ client: String) throws -> Int {
            try gateway.request(
                "POST", "/oauth2/token", [.basic(client), "Content-Type: application/x-www-form-urlencoded"],
                body: "grant_type=client_credentials"
            ).status
        }
        #expect(try status("inv-client:kept-secret") == 200)
        #expect(try status("inv-client:cred:inventory") == 401)
        #expect(!gateway.everythingWritten.contains("kept-secret"))
        let sealed = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/state/credentials"))
        #expect(!String(decoding: sealed, as: UTF8.self).contains("kept-secret"))
        #expect(try run(directory, "get", "inventory").output.contains(#""password":"kept-secret""#))
        #expect(try run(directory, "delete", "inventory").ending == .exit(0))
        #expect(try CommandLine.run("check", directory.path).ending == .exit(1))
    }

    @Test("a store that cannot be opened is reported")
    func unreadable() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["backends"] = FixtureSettings.backends.replacing("\"inv-secret\"", with: "\"cred:inventory\"")
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        #expect(try run(directory, "add", "inventory", input: "kept-secret\n").ending == .exit(0))
        try directory.remove("state/credentials.key")
        let result = try CommandLine.run("check", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("state/credentials.key is missing"), "\(result.errors)")
    }
}

import Foundation
import Glibc
import Testing

/// An administrator who changes the configuration of a running gateway by commands, in one of the two ways.
struct Administrator: Sendable {
    enum Way: Sendable, CaseIterable, CustomTestStringConvertible {
        /// On the files, with a reload behind it.
        case files
        /// Through the admin listener.
        case listener

        var testDescription: String { self == .files ? "files" : "admin listener" }
    }

    struct Failed: Error {
        let errors: String
    }

    let fixture: Fixture
    private let way: Way

    init(_ way: Way, of fixture: Fixture) {
        self.fixture = fixture
        self.way = way
    }

    /// Of a gateway of its own.
    init(_ way: Way, _ change: (inout FixtureSettings) -> Void = { _ in }) throws {
        self.init(way, of: try Fixture(change))
    }

    /// Runs a command, and sees to it that what it changed is in force.
    @discardableResult
    func run(_ arguments: [String], input: String? = nil) throws -> (
        ending: Program.Ending, output: String, errors: String
    ) {
        let program = GatewayProcess.binary
        switch way {
        case .files:
            let result = try Program.run(
                program, arguments + ["--config", fixture.gateway.configuration.path], input: input)
            let before = fixture.gateway.events("reloaded").count
            fixture.gateway.program.signal(SIGHUP)
            _ = try #require(fixture.gateway.waitForEvent("reloaded", skipping: before))
            // The other worker may not have seen it yet; its answer about counters comes behind that.
            _ = try fixture.gateway.metrics()
            // Where it ends tokens, those of the second of the reload count as from before.
            if arguments.contains(where: { ["set-password", "disable", "rotate-secret", "revoke"].contains($0) }) {
                let now = { Int(Date().timeIntervalSince1970) }
                let second = now()
                while now() == second { Thread.sleep(forTimeInterval: 0.01) }
            }
            return result
        case .listener:
            let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
            return try Program.run(
                program, arguments + ["--admin", url], environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"],
                input: input)
        }
    }

    /// The same for a command that must succeed; answers what it printed.
    @discardableResult
    func done(_ arguments: String..., input: String? = nil) throws -> String {
        let result = try run(arguments, input: input)
        guard result.ending == .exit(0) else { throw Failed(errors: result.errors) }
        #expect(result.errors.isEmpty, "\(result.errors)")
        return result.output
    }

    /// The same for one that must not: answers what it complained of. Nothing may be written then.
    func refused(_ arguments: String..., input: String? = nil) throws -> String {
        let before = try fixture.gateway.configuration.contents()
        let result = try run(arguments, input: input)
        #expect(result.ending == .exit(1), "\(arguments): \(result.output)")
        #expect(result.output.isEmpty)
        #expect(try fixture.gateway.configuration.contents() == before)
        return result.errors
    }

    /// The status of a request with a password.
    func basic(_ pair: String, _ path: String = "/inventory/me") throws -> Int {
        try fixture.request("GET", path, [.basic(pair), "Oracle-Mobile-Backend-ID: mbe-inv-1"]).status
    }

    /// The status of the password grant.
    func grant(_ user: String, _ password: String) throws -> Int {
        try fixture.grant("grant_type=password&username=\(user)&password=\(password)").status
    }

    /// The ids of the keys of a consumer, in the order of the file.
    func keyIDs(_ consumer: String) throws -> [String] {
        let lines = try done("keys", "list").split(separator: "\n").map { JSONText(String($0)) }
        let entry = try #require(lines.first { $0["name"].string == consumer })
        return entry["keys"].list.compactMap { $0["id"].string }
    }

    func bearer(_ token: String, _ method: String = "GET", _ path: String = "/inventory/me") throws -> Int {
        try fixture.request(method, path, [.bearer(token)]).status
    }
}

extension ConfigurationDirectory {
    /// The text of every file of the configuration.
    func contents() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try read($0)) })
    }
}

import Foundation
import Synchronization

/// A Redis server of a test's own, in a temporary directory, on a unix socket and, where wanted, on a port.
package final class RedisProcess: @unchecked Sendable {
    package enum Failure: Error { case notInstalled, didNotStart(String) }

    /// Options as in its configuration file: name and values.
    package typealias Options = [[String]]

    package let directory: URL
    /// Where it listens on 127.0.0.1; 0 for nowhere.
    package private(set) var port: UInt16 = 0
    /// The port speaks TLS, with a certificate for localhost that this file holds.
    package let isSecure: Bool
    package var certificatePath: String { directory.appending(path: "cert.pem").path }
    private let options: Options
    private let listensOnPort: Bool
    /// Where the other nodes of a cluster reach it; 0 where it is in none.
    package private(set) var busPort: UInt16 = 0
    private let isNode: Bool
    private let environment: [String: String]
    private var process: ChildProcess?

    package var socketPath: String { directory.appending(path: "redis.sock").path }
    package var log: String { (try? String(contentsOf: directory.appending(path: "log"), encoding: .utf8)) ?? "" }

    /// Starts it and waits until it takes connections.
    ///
    /// - Parameter environment: is added to that of the tests.
    package init(
        _ options: Options = [], onPort: Bool = false, isSecure: Bool = false, isNode: Bool = false,
        environment: [String: String] = [:]
    ) throws {
        let name = "portcullis-redis-\(UUID().uuidString.prefix(8))"
        directory = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.options = options
        self.isSecure = isSecure
        self.isNode = isNode
        self.environment = environment
        listensOnPort = onPort || isSecure || isNode
        if isSecure { try makeCertificate() }
        try start()
    }

    deinit { end() }

    private func end() {
        crash()
        try? FileManager.default.removeItem(at: directory)
    }

    /// One for all tests of a process that only want any.
    package static let shared: Result<RedisProcess, any Error> = Result {
        let server = try RedisProcess()
        server.endsWithProcess()
        return server
    }

    /// It is kept as long as the process lives, and then ended.
    package func endsWithProcess() {
        let isFirst = RedisProcess.retained.withLock { servers in
            servers.append(self)
            return servers.count == 1
        }
        guard isFirst else { return }
        atexit { for server in RedisProcess.retained.withLock({ $0 }) { server.end() } }
    }

    private static let retained = Mutex<[RedisProcess]>([])

    package func kill(_ signal: Int32) { process?.send(signal) }

    /// Stops it in its tracks. Its kernel still takes connections.
    package func freeze() { kill(SIGSTOP) }
    package func thaw() { kill(SIGCONT) }

    /// Ends it at once, as a crash does.
    package func crash() {
        kill(SIGKILL)
        process?.waitForEnd()
    }

    /// Starts it again where it was.
    package func restart() throws {
        crash()
        try start()
    }

    /// Asks it something with its own command line program, and answers what that prints.
    @discardableResult
    package func ask(_ words: String...) throws -> String {
        let output = Pipe()
        let program = try ChildProcess(
            "/usr/bin/redis-cli", ["-s", socketPath] + words, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        program.waitForEnd()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func start() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/redis-server") else { throw Failure.notInstalled }
        // One that starts again keeps its ports, which another process may hold for a while.
        let isKept = port != 0
        let deadline = Date(timeIntervalSinceNow: 30)
        repeat {
            if listensOnPort, !isKept { port = RedisProcess.freePort() }
            if isNode, !isKept { busPort = RedisProcess.freePort() }
            try launch()
            if waitUntilReady() { return }
            crash()
        } while Date() < deadline
        throw Failure.didNotStart(log)
    }

    private func launch() throws {
        var all: Options = [
            ["unixsocket", socketPath], ["dir", directory.path], ["logfile", directory.appending(path: "log").path],
            ["save", ""], ["daemonize", "no"], ["bind", "127.0.0.1"], ["port", isSecure ? "0" : String(port)],
        ]
        if isSecure {
            let key = directory.appending(path: "key.pem").path
            all += [
                ["tls-port", String(port)], ["tls-cert-file", certificatePath], ["tls-key-file", key],
                ["tls-ca-cert-file", certificatePath], ["tls-auth-clients", "no"],
            ]
        }
        if isNode { all += [["cluster-enabled", "yes"], ["cluster-port", String(busPort)]] }
        process = try ChildProcess(
            "/usr/bin/redis-server", (all + options).flatMap { ["--\($0[0])"] + $0.dropFirst() },
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }

    private func makeCertificate() throws {
        let program = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                directory.appending(path: "key.pem").path, "-out", certificatePath,
            ])
        program.waitForEnd()
    }

    /// It answers, or says that it asks for a password first.
    private func waitUntilReady() -> Bool {
        let deadline = Date(timeIntervalSinceNow: 20)
        while process?.isRunning == true, Date() < deadline {
            if let answer = try? ask("PING"), answer == "PONG" || answer.hasPrefix("NOAUTH") { return true }
        }
        return false
    }

    /// A port that was free just now: Redis takes no socket of others and cannot leave the choice to the kernel. `start`
    /// tries again where another process has taken it in between.
    private static func freePort() -> UInt16 {
        let listener = PeerListener()
        return listener.port
    }
}

import Foundation
import Glibc
import TestSupport
import Testing

/// Gateways that share their signing keys by a Redis store, each with a directory of its own.
final class SharedKeyFleet: Sendable {
    let redis: RedisProcess
    let upstream: StubUpstream
    let gateways: [GatewayProcess]
    let clock: SteppedClock
    private let text: String

    /// Starts all gateways at the same time.
    ///
    /// - Parameters:
    ///   - tokenService: further members of the section.
    ///   - store: further members of the section.
    init(
        _ count: Int = 2, tokenService: String = "", store: String = #", "staleAfter": "1s""#,
        redis: RedisProcess? = nil, url: String? = nil
    ) throws {
        let redis = try redis ?? RedisProcess()
        self.redis = redis
        upstream = try StubUpstream()
        clock = try SteppedClock()
        var settings = FixtureSettings(upstream: upstream.url)
        settings["store"] = """
            {"kind": "redis", "url": "\(url ?? "unix:\(redis.socketPath)")", "key": "env:STORE_KEY",
             "timeout": "300ms", "whenUnavailable": "allow"\(store)}
            """
        settings["tokenService"] = #"{"sharedKeys": true\#(tokenService)}"#
        text = settings.text
        let started = Monitor<[Result<GatewayProcess, any Error>]>([])
        for _ in 0..<count {
            Thread.detachNewThread { [text, clock] in
                let gateway = Result { try SharedKeyFleet.start(ConfigurationDirectory(["gateway.json": text]), clock) }
                started.withLock { $0.append(gateway) }
            }
        }
        _ = started.wait { $0.count == count ? true : nil }
        gateways = try started.current.map { try $0.get() }
    }

    deinit { upstream.stop() }

    private static func start(
        _ directory: ConfigurationDirectory, _ clock: SteppedClock, untilReady: Bool = true
    ) throws -> GatewayProcess {
        let environment = clock.environment.merging(["STORE_KEY": storeKey]) { $1 }
        let gateway = try GatewayProcess(directory, environment: environment)
        if untilReady { _ = try #require(gateway.waitForEvent("ready")) }
        return gateway
    }

    /// A directory with the same configuration.
    func directory(signingKey: String? = nil) throws -> ConfigurationDirectory {
        var files = ["gateway.json": text]
        if let signingKey { files["state/signing.pem"] = signingKey }
        return try ConfigurationDirectory(files)
    }

    /// One more gateway, or one of the others again.
    func another(_ directory: ConfigurationDirectory? = nil, untilReady: Bool = true) throws -> GatewayProcess {
        try SharedKeyFleet.start(directory ?? self.directory(), clock, untilReady: untilReady)
    }

    /// What a start prints that must fail.
    func refusal(
        _ directory: ConfigurationDirectory? = nil, storeKey: String = SharedKeyFleet.storeKey
    ) throws -> String {
        // It is removed with its last reference.
        let directory = try directory ?? self.directory()
        let result = try Program.run(
            GatewayProcess.binary, ["serve", "--config", directory.path], environment: ["STORE_KEY": storeKey])
        withExtendedLifetime(directory) {}
        #expect(result.ending == .exit(1))
        return result.errors
    }

    func command(_ words: String..., at gateway: Int) throws -> (
        ending: Program.Ending, output: String, errors: String
    ) {
        try Program.run(
            GatewayProcess.binary,
            ["signing-keys"] + words + ["--admin", "http://127.0.0.1:\(try gateways[gateway].port("admin"))"],
            environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
    }

    /// Makes the next key, and answers its id.
    func publish(at gateway: Int) throws -> String {
        let result = try command("rotate", at: gateway)
        return try #require(JSONText(result.output)["kid"].string, "\(result.errors)")
    }

    /// Signs with it from now on.
    func activate(at gateway: Int) throws -> String {
        let result = try command("rotate", "--now", at: gateway)
        return try #require(JSONText(result.output)["kid"].string, "\(result.errors)")
    }

    func isPublished(_ kids: Set<String>) throws -> Bool {
        try SharedKeyFleet.wait { try gateways.allSatisfy { try SharedKeyFleet.published($0) == kids } }
    }

    /// In the store, by the server's own client.
    static let document = "{portcullis:}signing-keys:ES256"

    static func makeKey() -> String {
        Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    }

    static let storeKey = makeKey()

    static func published(_ gateway: GatewayProcess) throws -> Set<String> {
        Set(
            try JSONText(gateway.request("GET", "/.well-known/jwks.json").text)["keys"].list.compactMap {
                $0["kid"].string
            })
    }

    static func token(_ gateway: GatewayProcess) throws -> String {
        let answer = try gateway.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=password&username=joe&password=Welcome1")
        return try #require(JSONText(answer.text)["access_token"].string, "\(answer.text)")
    }

    static func kid(_ token: String) -> String? { JSONWebToken(token).header["kid"].string }

    static func status(_ token: String, _ gateway: GatewayProcess) throws -> Int {
        try gateway.request("GET", "/inventory/me", [.bearer(token)]).status
    }

    static func wait(_ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline.usual
        while try !condition() {
            if deadline.isPast { return false }
            usleep(20_000)
        }
        return true
    }
}

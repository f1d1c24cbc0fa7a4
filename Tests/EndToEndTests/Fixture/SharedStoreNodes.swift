import Foundation
import TestSupport
import Testing

/// Gateways on one Redis server, with the same keys and the same users, each in a directory of its own.
final class SharedStoreNodes: Sendable {
    let redis: RedisProcess
    let upstream: StubUpstream
    let directories: [ConfigurationDirectory]
    let gateways: [GatewayProcess]
    private let keys: ConfigurationDirectory

    init(
        _ count: Int = 2, redis options: RedisProcess.Options = [], _ store: String = "", clocks: [SteppedClock?] = [],
        serverClock: SteppedClock? = nil, _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        redis = try RedisProcess(options, environment: serverClock?.environment ?? [:])
        upstream = try StubUpstream()
        keys = try ConfigurationDirectory()
        var settings = FixtureSettings(upstream: upstream.url)
        settings["store"] = """
            {"kind": "redis", "url": "unix:\(redis.socketPath)", "timeout": "500ms", "keyFile": "\(keys.path)/store.key"
             \(store)}
            """
        settings["tokenService"] = #"{"keyFile": "\#(keys.path)/signing.pem"}"#
        settings["challenge"] = #"{"keyFile": "\#(keys.path)/challenge.key"}"#
        settings["passwords"] = #"{"cache": "60s"}"#
        change(&settings)
        let text = settings.text
        directories = try (0..<count).map { _ in try ConfigurationDirectory(["gateway.json": text]) }
        // One after the other: the first makes the keys.
        gateways = try directories.enumerated().map { place, directory in
            let clock = place < clocks.count ? clocks[place] : nil
            return try GatewayProcess(directory, environment: clock?.environment ?? [:])
        }
        // Until the server has answered for the first time they go by their own clocks.
        for gateway in gateways { _ = try #require(gateway.waitForEvent("ready")) }
    }

    deinit { upstream.stop() }

    func login(_ node: Int, _ user: String = "joe", _ password: String = "Welcome1") throws -> Response {
        try grant(gateways[node], "grant_type=password&username=\(user)&password=\(password)")
    }

    func grant(
        _ gateway: GatewayProcess, _ body: String, client: String = "inv-client:inv-secret"
    ) throws -> Response {
        try gateway.request(
            "POST", "/oauth2/token", [.basic(client), "Content-Type: application/x-www-form-urlencoded"], body: body
        )
    }

    func token(_ node: Int, _ user: String = "joe", _ password: String = "Welcome1") throws -> String {
        let response = try login(node, user, password)
        return try #require(JSONText(response.text)["access_token"].string, "\(response.text)")
    }

    func bearer(_ node: Int, _ token: String) throws -> Int {
        try gateways[node].request("GET", "/inventory/me", [.bearer(token)]).status
    }

    func basic(_ node: Int, _ credentials: String) throws -> Int {
        try gateways[node].request(
            "GET", "/inventory/me", [.basic(credentials), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        ).status
    }

    @discardableResult
    func admin(_ node: Int, _ method: String, _ target: String, _ body: String? = nil) throws -> Response {
        let response = try gateways[node].request(
            method, target, [.bearer("admin-secret"), "Content-Type: application/json"], body: body,
            listener: "admin")
        try #require((200..<300).contains(response.status), "\(method) \(target): \(response.text)")
        return response
    }

    /// What a gateway shows of a consumer.
    func consumer(_ node: Int, _ name: String) throws -> JSONText {
        let list = JSONText(try admin(node, "GET", "/admin/consumers").text).list
        return try #require(list.first { $0["name"].string == name })
    }

    /// The ids of the keys of a consumer, in the order of the files of the first gateway.
    func keyIDs(_ consumer: String) throws -> [String] {
        try self.consumer(0, consumer)["keys"].list.compactMap { $0["id"].string }
    }

    /// The files of one gateway arrive at another.
    func copyFiles(from one: Int, to other: Int) throws {
        try directories[other].write("gateway.json", try directories[one].read("gateway.json"))
        try admin(other, "POST", "/admin/reload")
    }

    /// Asks until it is so; a second is what the nodes have.
    func isSoWithinASecond(_ condition: () throws -> Bool) rethrows -> Bool {
        let began = ContinuousClock.now
        while try !condition() { if ContinuousClock.now - began > .seconds(1) { return false } }
        return true
    }

    func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline.usual
        while try !condition() { if deadline.isPast { return false } }
        return true
    }
}

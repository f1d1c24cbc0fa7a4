import Foundation
import Glibc
import Model
import TestSupport
import Testing

/// Gateways with one Redis server: what one revokes the others refuse, and what becomes of them when it is not there.
@Suite(.tags(.engine)) struct SharedRedisTests {
    /// Gateways with one configuration, and so with the same keys.
    private final class Cluster: Sendable {
        let upstream: StubUpstream
        let directory: ConfigurationDirectory
        let gateways: [GatewayProcess]
        private let environment: [String: String]

        /// - Parameter store: members of the store's section beside its kind.
        init(
            _ count: Int, store: String, environment: [String: String] = [:],
            _ change: (inout FixtureSettings) -> Void = { _ in }
        ) throws {
            upstream = try StubUpstream()
            var settings = FixtureSettings(upstream: upstream.url)
            settings["store"] = #"{"kind": "redis", \#(store)}"#
            change(&settings)
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            self.directory = directory
            self.environment = environment
            // One after the other: the first makes the keys.
            gateways = try (0..<count).map { _ in try GatewayProcess(directory, environment: environment) }
        }

        deinit { upstream.stop() }

        static func socket(_ redis: RedisProcess, _ others: String = "") -> String {
            #""url": "unix:\#(redis.socketPath)", "timeout": "300ms"\#(others)"#
        }

        /// One more process with the same configuration.
        func another() throws -> GatewayProcess { try GatewayProcess(directory, environment: environment) }

        func token(_ user: String = "joe", at gateway: Int = 0) throws -> String {
            let password = user == "joe" ? "Welcome1" : "Welcome2"
            let response = try gateways[gateway].request(
                "POST", "/oauth2/token",
                [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
                body: "grant_type=password&username=\(user)&password=\(password)")
            return try #require(JSONText(response.text)["access_token"].string, "\(response.text)")
        }

        func status(_ token: String, at gateway: Int = 0) throws -> Int { try Self.status(token, gateways[gateway]) }

        static func status(_ token: String, _ gateway: GatewayProcess) throws -> Int {
            try gateway.request("GET", "/inventory/me", [.bearer(token)]).status
        }

        /// Waits for a status, for as long as tests wait for anything.
        func wait(_ token: String, at gateway: Int = 0, for status: Int) throws -> Bool {
            try Self.wait(token, gateways[gateway], for: status)
        }

        static func wait(_ token: String, _ gateway: GatewayProcess, for status: Int) throws -> Bool {
            let deadline = Deadline.usual
            while try Self.status(token, gateway) != status { if deadline.isPast { return false } }
            return true
        }

        func readiness(_ gateway: Int, _ target: String = "/readyz") throws -> Int {
            try Self.readiness(gateways[gateway], target)
        }

        static func readiness(_ gateway: GatewayProcess, _ target: String = "/readyz") throws -> Int {
            try gateway.request("GET", target, listener: "admin").status
        }

        func waitUntilReady(_ gateway: Int) throws -> Bool {
            let deadline = Deadline.usual
            while try readiness(gateway, "/readyz?store") != 200 { if deadline.isPast { return false } }
            return true
        }

        func revoke(_ body: String, at gateway: Int = 0) throws -> Response {
            try gateways[gateway].request(
                "POST", "/admin/revocations", [.bearer("admin-secret")], body: body, listener: "admin")
        }
    }

    private struct Tally: Sendable {
        var good = 0
        /// By status and code.
        var errors: [String: Int] = [:]
        var wrong: [String] = []
        var firstRefusal: ContinuousClock.Instant?
        var goodSinceRefusal = 0
    }

    /// Clients that ask with one token until `stop`.
    private final class Load: Sendable {
        private let tally = Monitor(Tally())
        private let ended = Monitor(false)
        private let running: Monitor<Int>

        init(_ gateway: GatewayProcess, _ token: String, clients: Int = 4) throws {
            running = Monitor(clients)
            let port = try gateway.port()
            for _ in 0..<clients {
                Thread.detachNewThread { [tally, ended, running] in
                    let connection = try? RawConnection(port: port)
                    while !ended.current {
                        do {
                            let response = try connection?.exchange("GET", "/inventory/me", [.bearer(token)])
                            tally.withLock { Self.count(response, &$0) }
                        } catch {
                            tally.withLock { $0.wrong.append("\(error)") }
                            break
                        }
                    }
                    running.withLock { $0 -= 1 }
                }
            }
        }

        private static func count(_ response: Response?, _ tally: inout Tally) {
            guard let response else { return }
            if response.status == 200 {
                tally.good += 1
                if tally.firstRefusal != nil { tally.goodSinceRefusal += 1 }
                return
            }
            let code = JSONText(response.text)["code"].string ?? response.text
            tally.errors["\(response.status) \(code)", default: 0] += 1
            if response.status == 401, tally.firstRefusal == nil { tally.firstRefusal = .now }
        }

        var current: Tally { tally.current }

        func wait(_ condition: (Tally) -> Bool) -> Bool { tally.wait { condition($0) ? true : nil } ?? false }

        /// Waits for so many more good answers.
        func goesOn(_ count: Int = 100) -> Bool {
            let before = current.good
            return wait { $0.good > before + count }
        }

        func stop() -> Tally {
            ended.withLock { $0 = true }
            _ = running.wait { $0 == 0 ? true : nil }
            return tally.current
        }
    }

    // MARK: Revocation

    @Test(
        "CACHE-07: a revocation by one gateway applies to others within a second, under load",
        arguments: ["jti", "subject"])
    func revocation(_ kind: String) throws {
        let redis = try RedisProcess()
        let cluster = try Cluster(2, store: Cluster.socket(redis))
        let others = try cluster.token("ann")
        #expect(try cluster.wait(others, at: 0, for: 200))
        #expect(try cluster.wait(others, at: 1, for: 200))
        let background = try cluster.gateways.map { try Load($0, others) }
        for _ in 0..<(kind == "jti" ? 5 : 1) {
            let token = try cluster.token()
            let load = try Load(cluster.gateways[1], token)
            #expect(load.goesOn())
            let claims = JSONWebToken(token).claims
            let id = try #require(claims["jti"].string)
            let began = ContinuousClock.now
            let body = kind == "jti" ? #"{"jti": "\#(id)"}"# : #"{"subject": "joe"}"#
            #expect(try cluster.revoke(body, at: 0).status == 204)
            #expect(try cluster.status(token, at: 0) == 401)
            #expect(load.wait { $0.firstRefusal != nil })
            let tally = load.stop()
            if let refused = tally.firstRefusal { #expect(refused - began < .seconds(1), "\(refused - began)") }
            // One client's good answer may be on its way while another's refusal is counted.
            #expect(tally.goodSinceRefusal <= 4)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
        }
        for load in background {
            #expect(load.goesOn(10))
            let tally = load.stop()
            #expect(tally.errors.isEmpty && tally.wrong.isEmpty, "\(tally)")
        }
    }

    @Test("revocations apply to processes started later")
    func later() throws {
        let redis = try RedisProcess()
        let cluster = try Cluster(1, store: Cluster.socket(redis))
        let (bad, good) = (try cluster.token("joe"), try cluster.token("ann"))
        #expect(try cluster.wait(good, for: 200))
        #expect(try cluster.revoke(#"{"subject": "joe"}"#).status == 204)
        let another = try cluster.another()
        #expect(try Cluster.wait(good, another, for: 200))
        #expect(try Cluster.status(bad, another) == 401)
        #expect(try redis.ask("KEYS", "*").contains("{portcullis:}denied"))
    }

    // MARK: Trouble

    @Test("with a frozen store only bearer requests get 503, until it continues")
    func frozen() throws {
        let redis = try RedisProcess()
        let cluster = try Cluster(1, store: Cluster.socket(redis, #", "staleAfter": "1s""#))
        let token = try cluster.token()
        #expect(try cluster.wait(token, for: 200))
        let load = try Load(cluster.gateways[0], token)
        #expect(load.goesOn())
        redis.freeze()
        #expect(load.wait { $0.errors["503 store_unavailable", default: 0] > 50 })
        #expect(try cluster.gateways[0].request("GET", "/open/x").status == 200)
        let refused = try cluster.revoke(#"{"subject": "bob"}"#)
        #expect(refused.status == 503 && refused.text.contains("store_unavailable"), "\(refused.text)")
        #expect(try cluster.readiness(0, "/readyz?store") == 503)
        // A balancer leaves it in service for routes without tokens.
        #expect(try cluster.readiness(0) == 200)
        redis.thaw()
        #expect(load.goesOn())
        let tally = load.stop()
        #expect(Set(tally.errors.keys) == ["503 store_unavailable"] && tally.wrong.isEmpty, "\(tally)")
        #expect(try cluster.waitUntilReady(0))
        // The process is the same, and sound.
        #expect(try cluster.revoke(#"{"subject": "joe"}"#).status == 204)
        #expect(try cluster.status(token) == 401)
    }

    @Test("a gateway is ready once the store has answered, and with tokens alone while it answers")
    func readiness() throws {
        let redis = try RedisProcess()
        let cluster = try Cluster(1, store: Cluster.socket(redis, #", "staleAfter": "500ms""#)) {
            $0["routes"] = FixtureSettings.list([
                #"{"name": "me", "path": "/inventory/**", "upstream": "stub", "authenticators": ["bearer"]}"#
            ])
        }
        #expect(try cluster.waitUntilReady(0))
        redis.freeze()
        let another = try cluster.another()
        #expect(try Cluster.readiness(another) == 503)
        #expect(cluster.gateways[0].waitForEvent("not_ready")?["reason"].string?.contains("store unavailable") == true)
        #expect(try cluster.readiness(0) == 503, "no route can be served")
        redis.thaw()
        #expect(try cluster.waitUntilReady(0))
        #expect(another.waitForEvent("ready") != nil)
        #expect(try Cluster.readiness(another) == 200)
    }

    @Test("an entry of an unknown kind stops nothing, and is reported with its cause")
    func unknownEntry() throws {
        let redis = try RedisProcess()
        let cluster = try Cluster(1, store: Cluster.socket(redis, #", "staleAfter": "1s""#))
        let (bad, good) = (try cluster.token("joe"), try cluster.token("ann"))
        #expect(try cluster.wait(good, for: 200))
        #expect(try cluster.revoke(#"{"subject": "bob"}"#).status == 204)
        let place = try #require(Int(try redis.ask("GET", "{portcullis:}sequence"))) + 1
        _ = try redis.ask("ZADD", "{portcullis:}denied", "\(place)", "\(place) family2 0 9999999999 1 f")
        _ = try redis.ask("SET", "{portcullis:}sequence", "\(place)")
        let told = try #require(cluster.gateways[0].waitForEvent("deny_entries_skipped"))
        #expect(told["kind"].string == "family2" && told["sequence"].integer == place, "\(told)")
        #expect(try cluster.gateways[0].metrics().sum("portcullis_store_skipped_entries_total") == 1)
        let another = try cluster.another()
        #expect(try Cluster.wait(good, another, for: 200))
        #expect(try cluster.revoke(#"{"subject": "joe"}"#).status == 204)
        #expect(try Cluster.wait(bad, another, for: 401))
        #expect(try cluster.status(good) == 200)
        #expect(cluster.gateways[0].events("store_unavailable").isEmpty)
    }

    @Test("with the stance \"allow\" a frozen store affects no requests")
    func allowed() throws {
        let redis = try RedisProcess()
        let others = #", "staleAfter": "500ms", "whenUnavailable": "allow""#
        let cluster = try Cluster(1, store: Cluster.socket(redis, others))
        let token = try cluster.token()
        #expect(try cluster.wait(token, for: 200))
        let load = try Load(cluster.gateways[0], token)
        redis.freeze()
        #expect(cluster.gateways[0].waitForEvent("store_unavailable") != nil)
        #expect(load.goesOn())
        redis.thaw()
        #expect(cluster.gateways[0].waitForEvent("store_available") != nil)
        let tally = load.stop()
        #expect(tally.errors.isEmpty && tally.wrong.isEmpty, "\(tally)")
    }

    @Test("restarts of the store under load lose no revocation, and gateways reconnect")
    func restarted() throws {
        let redis = try RedisProcess([["appendonly", "yes"], ["appendfsync", "always"]])
        let cluster = try Cluster(2, store: Cluster.socket(redis, #", "staleAfter": "10s""#))
        let token = try cluster.token("ann")
        #expect(try cluster.wait(token, at: 0, for: 200))
        #expect(try cluster.wait(token, at: 1, for: 200))
        let loads = try cluster.gateways.map { try Load($0, token) }
        for _ in 0..<5 {
            let victim = try cluster.token()
            let id = try #require(JSONWebToken(victim).claims["jti"].string)
            // Until the store has acknowledged it.
            let deadline = Deadline.usual
            while try cluster.revoke(#"{"jti": "\#(id)"}"#, at: 0).status != 204, !deadline.isPast {}
            redis.crash()
            #expect(try cluster.status(victim, at: 0) == 401)
            try redis.restart()
            #expect(try cluster.wait(victim, at: 1, for: 401))
        }
        for load in loads {
            #expect(load.goesOn())
            let tally = load.stop()
            // Each break was shorter than `staleAfter`.
            #expect(tally.errors.isEmpty && tally.wrong.isEmpty, "\(tally)")
        }
    }

    // MARK: Access

    @Test("a server that is a cluster node is reported in one line")
    func cluster() throws {
        let (owner, other) = (try RedisProcess(isNode: true), try RedisProcess(isNode: true))
        #expect(try owner.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383") == "OK")
        try other.ask("CLUSTER", "MEET", "127.0.0.1", "\(owner.port)", "\(owner.busPort)")
        let deadline = Deadline.usual
        while try !other.ask("GET", "{portcullis:}sequence").hasPrefix("MOVED"), !deadline.isPast {}
        let cluster = try Cluster(1, store: Cluster.socket(other, #", "staleAfter": "1s""#))
        let refused = try #require(cluster.gateways[0].waitForEvent("store_server_refused"))
        #expect(refused["reason"].string == "MOVED")
        #expect(refused["detail"].string?.contains("one node of a Redis Cluster") == true, "\(refused)")
        #expect(try cluster.revoke(#"{"subject": "joe"}"#).status == 503)
        // The one that has all keys is as good as any server: they have one hash tag.
        let good = try Cluster(1, store: Cluster.socket(owner))
        let token = try good.token()
        #expect(try good.wait(token, for: 200))
        #expect(try good.revoke(#"{"subject": "joe"}"#).status == 204)
        #expect(try good.status(token) == 401)
    }

    @Test("with replicas required, a revocation is answered when one of them has it")
    func replicas() throws {
        let redis = try RedisProcess(onPort: true)
        let cluster = try Cluster(1, store: Cluster.socket(redis, #", "replicas": 1"#))
        let refused = try cluster.revoke(#"{"subject": "joe"}"#)
        #expect(refused.status == 503 && refused.text.contains("store_unavailable"), "\(refused.text)")
        #expect(refused.text.contains("a failover of the store may lose it, so repeat the request"), "\(refused.text)")
        let failed = try #require(cluster.gateways[0].waitForEvent("revocation_failed"))
        #expect(failed["reason"].string == "store_not_replicated")
        let disabled = try cluster.gateways[0].request(
            "PATCH", "/admin/users/joe", [.bearer("admin-secret")], body: #"{"enabled": false}"#, listener: "admin")
        #expect(disabled.status == 503 && disabled.text.contains("a failover may lose it"), "\(disabled.text)")
        let copy = try RedisProcess([["replicaof", "127.0.0.1", "\(redis.port)"]])
        let deadline = Deadline.usual
        while try cluster.revoke(#"{"subject": "ann"}"#).status != 204, !deadline.isPast {}
        #expect(!deadline.isPast)
        #expect(try copy.ask("ZRANGE", "{portcullis:}denied", "0", "-1").contains("ann"))
    }

    @Test("the connection works over TLS with a password, which is never logged")
    func secured() throws {
        let redis = try RedisProcess([["requirepass", "store-password"]], isSecure: true)
        func store(_ certificate: String) -> String {
            #""url": "rediss://localhost:\#(redis.port)/2", "password": "env:STORE_PASSWORD", "#
                + #""tls": {"caFile": "\#(certificate)"}, "staleAfter": "1s""#
        }
        let environment = ["STORE_PASSWORD": "store-password"]
        let cluster = try Cluster(1, store: store(redis.certificatePath), environment: environment)
        let token = try cluster.token()
        #expect(try cluster.wait(token, for: 200))
        #expect(try cluster.revoke(#"{"subject": "joe"}"#).status == 204)
        #expect(try cluster.status(token) == 401)
        #expect(try redis.ask("-a", "store-password", "-n", "2", "DBSIZE") != "0")
        #expect(!cluster.gateways[0].everythingWritten.contains("store-password"))

        let wrong = try Cluster(1, store: store(redis.certificatePath), environment: ["STORE_PASSWORD": "no-password"])
        let lost = try #require(wrong.gateways[0].waitForEvent("store_server_lost"))
        #expect(lost["reason"].string == "refused_WRONGPASS")
        #expect(try wrong.status(wrong.token()) == 503)
        #expect(!wrong.gateways[0].everythingWritten.contains("no-password"))

        let stranger = try RedisProcess(isSecure: true)
        let untrusting = try Cluster(1, store: store(stranger.certificatePath), environment: environment)
        let refused = try #require(untrusting.gateways[0].waitForEvent("store_server_lost"))
        #expect(refused["reason"].string?.hasPrefix("tls_") == true, "\(refused)")
        #expect(try untrusting.status(untrusting.token()) == 503)
    }
}

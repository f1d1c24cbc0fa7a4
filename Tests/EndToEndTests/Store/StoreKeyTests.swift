import Foundation
import TestSupport
import Testing

/// The key of the store changes while the gateway runs: no refresh token is lost, and the former key can go.
@Suite struct StoreKeyTests {
    private static let form: [Field] = ["Content-Type: application/x-www-form-urlencoded"]
    private static let client: [Field] = [.basic("inv-client:inv-secret")] + form
    private static let login = "grant_type=password&username=joe&password=Welcome1"
    private static let old = Data(repeating: 1, count: 32).base64EncodedString()
    private static let new = Data(repeating: 2, count: 32).base64EncodedString()

    private func store(_ kind: String, _ others: String, _ keys: [String]) -> String {
        let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"{"kind": "\#(kind)"\#(others), "key": [\#(list)]}"#
    }

    private func tokens(_ gateway: GatewayProcess, _ body: String) throws -> (status: Int, refresh: String) {
        let response = try gateway.request("POST", "/oauth2/token", Self.client, body: body)
        return (response.status, JSONText(response.text)["refresh_token"].string ?? "")
    }

    private func refresh(_ gateway: GatewayProcess, _ token: String) throws -> (status: Int, refresh: String) {
        try tokens(gateway, "grant_type=refresh_token&refresh_token=\(token)")
    }

    private func reload(_ fixture: Fixture, _ store: String, expecting event: String = "reloaded") throws {
        _ = try fixture.reload(expecting: event) { settings in
            settings["backends"] = StandardsTests.backends()
            settings["store"] = store
        }
    }

    private func metric(_ gateway: GatewayProcess, is line: String) throws -> Bool {
        let deadline = Deadline.usual
        while true {
            let text = try gateway.request("GET", "/metrics", [.bearer("admin-secret")], listener: "admin").text
            if text.split(separator: "\n").contains(where: { $0.hasSuffix(line) }) { return true }
            if deadline.isPast { return false }
        }
    }

    @Test("a reload changes the key, and the former one goes", arguments: ["memory", "sqlite", "redis"])
    func change(_ kind: String) throws {
        let redis = kind == "redis" ? try RedisProcess() : nil
        let others = redis.map { #", "url": "unix:\#($0.socketPath)""# } ?? ""
        let fixture = try Fixture { settings in
            settings["backends"] = StandardsTests.backends()
            settings["store"] = store(kind, others, [Self.old])
        }
        let gateway = fixture.gateway
        let (kept, used) = (try tokens(gateway, Self.login).refresh, try tokens(gateway, Self.login).refresh)
        #expect(try metric(gateway, is: "store_former_key_records 0"))
        try reload(fixture, store(kind, others, [Self.new, Self.old]))
        #expect(try metric(gateway, is: "store_former_key_records 2"))
        let next = try refresh(gateway, used)
        #expect(next.status == 200)
        let after = try refresh(gateway, kept)
        #expect(after.status == 200)
        // Each reload looks again.
        try reload(fixture, store(kind, others, [Self.new, Self.old]))
        #expect(try metric(gateway, is: "store_former_key_records 0"))
        try reload(fixture, store(kind, others, [Self.new]))
        #expect(try refresh(gateway, next.refresh).status == 200)
        let last = try refresh(gateway, after.refresh)
        #expect(last.status == 200)
        // Without the key in use all tokens would end.
        try reload(fixture, store(kind, others, [Self.old]), expecting: "reload_failed")
        #expect(try refresh(gateway, last.refresh).status == 200)
    }

    /// Clients that use a token of each kind, until told to stop.
    private final class Load: Sendable {
        private struct Counts {
            var rounds = 0
            var running = 0
            var failures: [String] = []
        }

        private let counts = Monitor(Counts())
        private let ended = Monitor(false)

        init(_ fixture: Fixture, clients: Int) throws {
            let pair = try TokenMap(
                fixture.request("POST", "/yambas/oauth/token", StoreKeyTests.form, body: AppFixture.form()))
            for _ in 0..<clients {
                let access = try fixture.token("joe")
                let login = JSONText(try fixture.grant(StoreKeyTests.login).text)
                let given = try #require(login["refresh_token"].string)
                counts.withLock { $0.running += 1 }
                Thread.detachNewThread { [counts, ended] in
                    var refresh = given
                    while !ended.current {
                        let failure = Load.use(fixture, access, &refresh, pair)
                        counts.withLock {
                            $0.rounds += 1
                            if let failure { $0.failures.append(failure) }
                        }
                    }
                    counts.withLock { $0.running -= 1 }
                }
            }
        }

        /// What was refused.
        private static func use(
            _ fixture: Fixture, _ access: String, _ refresh: inout String, _ pair: TokenMap
        ) -> String? {
            do {
                let cached = try fixture.request("GET", "/inventory/me", [.bearer(access)])
                if cached.status != 200 { return "cached: \(cached.status) \(cached.text)" }
                let key = Field(name: "X-apiomat-apikey", value: AppFixture.key)
                let stored = try fixture.request("GET", "/notes/1", [.bearer(pair.access), key])
                if stored.status != 200 { return "stored: \(stored.status) \(stored.text)" }
                let rotated = try fixture.grant("grant_type=refresh_token&refresh_token=\(refresh)")
                guard let next = JSONText(rotated.text)["refresh_token"].string else {
                    return "refresh: \(rotated.status) \(rotated.text)"
                }
                refresh = next
                let fresh = try fixture.grant(StoreKeyTests.login)
                if fresh.status != 200 { return "login: \(fresh.status) \(fresh.text)" }
                // While the pair is valid its user gets the same one.
                let again = try TokenMap(
                    fixture.request("POST", "/yambas/oauth/token", StoreKeyTests.form, body: AppFixture.form()))
                return again.access == pair.access && again.refresh == pair.refresh ? nil : "another pair"
            } catch {
                return "\(error)"
            }
        }

        func waitForMore(_ count: Int) {
            let goal = counts.current.rounds + count
            _ = counts.wait { $0.rounds >= goal || !$0.failures.isEmpty ? true : nil }
        }

        /// - Returns: what was refused.
        func stop() -> [String] {
            ended.withLock { $0 = true }
            _ = counts.wait { $0.running == 0 ? true : nil }
            return counts.current.failures
        }
    }

    @Test(
        "a change under load refuses no token, and revoked tokens stay revoked",
        arguments: ["memory", "sqlite", "redis"])
    func underLoad(_ kind: String) throws {
        let redis = kind == "redis" ? try RedisProcess() : nil
        let others = redis.map { #", "url": "unix:\#($0.socketPath)""# } ?? ""
        func settings(_ settings: inout FixtureSettings, _ store: String) {
            settings["backends"] = StandardsTests.backends()
            AppFixture.put(into: &settings, facebook: "http://127.0.0.1:9")
            settings["store"] = store
        }
        let fixture = try Fixture { settings(&$0, store(kind, others, [Self.old])) }
        let gone = JSONText(try fixture.grant(Self.login).text)
        let (access, refresh) = (try #require(gone["access_token"].string), try #require(gone["refresh_token"].string))
        let revoked = try fixture.request("POST", "/oauth2/revoke", Self.client, body: "token=\(refresh)")
        #expect(revoked.status == 200)
        let load = try Load(fixture, clients: 3)
        for keys in [[Self.old, Self.new], [Self.new, Self.old], [Self.old, Self.new], [Self.new, Self.old]] {
            load.waitForMore(6)
            try fixture.reload { settings(&$0, store(kind, others, keys)) }
            #expect(try fixture.request("GET", "/inventory/me", [.bearer(access)]).status == 401)
            #expect(try self.refresh(fixture.gateway, refresh).status == 400)
        }
        load.waitForMore(6)
        #expect(load.stop() == [])
    }

    @Test("check takes a list of keys, in a file or not, and reports one that is there twice")
    func check() throws {
        func check(_ store: String, file: String = "") throws -> (isFine: Bool, errors: String) {
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            settings["store"] = store
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            if !file.isEmpty { try directory.write("store.key", file) }
            let result = try CommandLine.run("check", directory.path)
            return (result.ending == .exit(0), result.errors)
        }
        let (old, new) = (StoreKeyTests.old, StoreKeyTests.new)
        let twice = "a key of the store is given twice (expected different keys of 32 bytes)"
        let listed = try check(store("memory", "", [new, old]))
        #expect(listed.isFine, "\(listed.errors)")
        let repeated = try check(store("memory", "", [new, old, new]))
        #expect(!repeated.isFine && repeated.errors.contains("error: /store/key: \(twice)"), "\(repeated.errors)")
        let fromFile = #"{"kind": "memory", "keyFile": "store.key"}"#
        let filed = try check(fromFile, file: "\(new)\n\(old)\n")
        #expect(filed.isFine, "\(filed.errors)")
        let refiled = try check(fromFile, file: "\(new)\n\(new)\n")
        #expect(!refiled.isFine && refiled.errors.contains("error: /store/keyFile: \(twice)"), "\(refiled.errors)")
    }
}

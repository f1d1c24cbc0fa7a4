import Foundation
import TestSupport
import Testing

/// The key of the store changes while the gateway runs: no refresh token is lost, and the former key can go.
@Suite struct StoreKeyTests {
    private static let client: [Field] = [
        .basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded",
    ]
    private static let old = Data(repeating: 1, count: 32).base64EncodedString()
    private static let new = Data(repeating: 2, count: 32).base64EncodedString()

    private func store(_ kind: String, _ others: String, _ keys: String...) -> String {
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
            settings["store"] = store(kind, others, Self.old)
        }
        let gateway = fixture.gateway
        let login = "grant_type=password&username=joe&password=Welcome1"
        let (kept, used) = (try tokens(gateway, login).refresh, try tokens(gateway, login).refresh)
        #expect(try metric(gateway, is: "store_former_key_records 0"))
        try reload(fixture, store(kind, others, Self.new, Self.old))
        #expect(try metric(gateway, is: "store_former_key_records 2"))
        let next = try refresh(gateway, used)
        #expect(next.status == 200)
        let after = try refresh(gateway, kept)
        #expect(after.status == 200)
        // Each reload looks again.
        try reload(fixture, store(kind, others, Self.new, Self.old))
        #expect(try metric(gateway, is: "store_former_key_records 0"))
        try reload(fixture, store(kind, others, Self.new))
        #expect(try refresh(gateway, next.refresh).status == 200)
        let last = try refresh(gateway, after.refresh)
        #expect(last.status == 200)
        // Without the key in use all tokens would end.
        try reload(fixture, store(kind, others, Self.old), expecting: "reload_failed")
        #expect(try refresh(gateway, last.refresh).status == 200)
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
        let twice = "a key of the store is there twice (expected different keys of 32 bytes)"
        let listed = try check(store("memory", "", new, old))
        #expect(listed.isFine, "\(listed.errors)")
        let repeated = try check(store("memory", "", new, old, new))
        #expect(!repeated.isFine && repeated.errors.contains("error: /store/key: \(twice)"), "\(repeated.errors)")
        let fromFile = #"{"kind": "memory", "keyFile": "store.key"}"#
        let filed = try check(fromFile, file: "\(new)\n\(old)\n")
        #expect(filed.isFine, "\(filed.errors)")
        let refiled = try check(fromFile, file: "\(new)\n\(new)\n")
        #expect(!refiled.isFine && refiled.errors.contains("error: /store/keyFile: \(twice)"), "\(refiled.errors)")
    }
}

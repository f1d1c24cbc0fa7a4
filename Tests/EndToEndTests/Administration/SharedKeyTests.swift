import Foundation
import Glibc
import TestSupport
import Testing

/// Signing keys that gateways share by a Redis store, each with a directory of its own.
@Suite struct SharedKeyTests {
    private typealias Fleet = SharedKeyFleet

    private static func pem() throws -> String {
        try Program.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        ).output
    }

    /// Clients that get tokens at one gateway and use them at all.
    private static func load(_ gateways: [GatewayProcess]) -> TokenLoad {
        TokenLoad(clients: gateways.count) { place in
            let token = try Fleet.token(gateways[place])
            let statuses = try gateways.map { try Fleet.status(token, $0) }
            return (Fleet.kid(token), statuses.filter { $0 != 200 }.map { "\($0)" })
        }
    }

    @Test("gateways that start at once have one key, and a rotation under load refuses no token at any of them")
    func rotationUnderLoad() throws {
        let fleet = try Fleet(3)
        let old = try Fleet.token(fleet.gateways[0])
        let first = try #require(Fleet.kid(old))
        #expect(try fleet.isPublished([first]))
        let load = Self.load(fleet.gateways)
        load.waitForMore(10)
        let next = try fleet.publish(at: 0)
        #expect(try fleet.isPublished([first, next]))
        #expect(try Fleet.kid(Fleet.token(fleet.gateways[1])) == first)
        let early = try fleet.command("rotate", at: 1)
        #expect(early.errors.contains("must be published for 3600 s"), "\(early.errors)")
        load.waitForMore(10)
        // All have it: the wait is only for those who keep the key set.
        #expect(try fleet.activate(at: 1) == next)
        #expect(try Fleet.wait { try fleet.gateways.allSatisfy { try Fleet.kid(Fleet.token($0)) == next } })
        load.waitForMore(10)
        let (kids, failures) = load.stop()
        #expect(failures.isEmpty && kids == [first, next], "\(failures.prefix(3))")
        for gateway in fleet.gateways {
            #expect(try Fleet.status(old, gateway) == 200)
            #expect(try Fleet.published(gateway) == [first, next])
            #expect(gateway.events("signing_keys_failed").isEmpty)
        }
        let lists = try (0..<3).map { try fleet.command("list", at: $0).output }
        #expect(Set(lists).count == 1 && lists[0].contains(#""state":"retired""#), "\(lists)")
        let stored = try fleet.redis.ask("GET", Fleet.document)
        #expect(!stored.isEmpty && !stored.contains("PRIVATE KEY") && !stored.contains(next))
    }

    @Test("one of the gateways makes each step of the schedule, and a retired key goes after its last token")
    func schedule() throws {
        let fleet = try Fleet(3, tokenService: #", "rotateEvery": "13s", "publishKeysFor": "10s""#)
        let first = try #require(Fleet.kid(Fleet.token(fleet.gateways[0])))
        func events(_ name: String) -> [String] {
            fleet.gateways.flatMap { $0.events(name) }.compactMap { $0["kid"].string }
        }
        #expect(Fleet.wait { events("signing_key_activated").count >= 1 })
        let next = try #require(events("signing_key_activated").first)
        #expect(try Fleet.wait { try fleet.gateways.allSatisfy { try Fleet.kid(Fleet.token($0)) == next } })
        #expect(events("signing_key_published").filter { $0 == next }.count == 1)
        #expect(events("signing_key_activated").filter { $0 == next }.count == 1)
        #expect(try fleet.gateways.allSatisfy { try Fleet.published($0).isSuperset(of: [first, next]) })
        // Longer than any token lives.
        try fleet.clock.step(to: 400 * 86_400)
        #expect(Fleet.wait { events("signing_key_removed").contains(first) })
        #expect(try Fleet.wait { try fleet.gateways.allSatisfy { try !Fleet.published($0).contains(first) } })
        #expect(events("signing_key_removed").filter { $0 == first }.count == 1)
        #expect(
            Fleet.wait {
                fleet.gateways.allSatisfy {
                    !FileManager.default.fileExists(atPath: "\($0.configuration.path)/state/signing-\(first).pem")
                }
            })
        #expect(events("signing_keys_failed").isEmpty)
    }

    @Test("without the store the last good keys serve, also after a restart, and an empty store gets them back")
    func outage() throws {
        let fleet = try Fleet()
        let token = try Fleet.token(fleet.gateways[0])
        let first = try #require(Fleet.kid(token))
        let next = try fleet.publish(at: 0)
        #expect(try fleet.isPublished([first, next]))
        fleet.redis.freeze()
        for gateway in fleet.gateways {
            let failure = try #require(gateway.waitForEvent("signing_keys_failed"))
            #expect(failure["detail"].string?.contains("request: timed_out") == true, "\(failure)")
            #expect(try Fleet.status(token, gateway) == 200)
            #expect(try Fleet.published(gateway) == [first, next])
        }
        let refused = try fleet.command("rotate", "--now", at: 0)
        #expect(
            refused.ending == .exit(1) && refused.errors.contains("which has the signing keys"), "\(refused.errors)")
        fleet.redis.thaw()
        #expect(try fleet.activate(at: 0) == next)
        #expect(try Fleet.wait { try Fleet.kid(Fleet.token(fleet.gateways[1])) == next })

        fleet.redis.crash()
        let refusal = try fleet.refusal()
        #expect(refusal.contains(#""/tokenService/sharedKeys","detail":"the store at "#), "\(refusal)")
        try fleet.gateways[0].stop()
        let again = try fleet.another(fleet.gateways[0].configuration, untilReady: false)
        #expect(again.waitForEvent("signing_keys_failed") != nil)
        #expect(try Fleet.published(again) == [first, next])
        // It keeps nothing of what it had.
        try fleet.redis.restart()
        #expect(try Fleet.wait { try fleet.redis.ask("EXISTS", Fleet.document) == "1" })
        #expect(try Fleet.published(fleet.another()) == [first, next])
        #expect(try Fleet.wait { try Fleet.status(token, again) == 200 })
    }

    @Test("another key of the store seals the keys anew, and the former one can go")
    func storeKey() throws {
        let fleet = try Fleet(1)
        let gateway = fleet.gateways[0]
        let token = try Fleet.token(gateway)
        let new = Fleet.makeKey()
        let sealed = try fleet.redis.ask("GET", Fleet.document)
        let written = try gateway.configuration.read("gateway.json")
        for keys in [[new, Fleet.storeKey], [new]] {
            let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
            try gateway.configuration.write(
                "gateway.json", written.replacing(#""env:STORE_KEY""#, with: "[\(list)]"))
            let reload = try gateway.request("POST", "/admin/reload", [.bearer("admin-secret")], listener: "admin")
            #expect(reload.status == 204, "\(reload.text)")
            #expect(try Fleet.wait { try fleet.redis.ask("GET", Fleet.document) != sealed })
        }
        #expect(try fleet.command("list", at: 0).ending == .exit(0))
        try gateway.stop()
        let again = try fleet.another(gateway.configuration)
        #expect(try Fleet.status(token, again) == 200)
        #expect(again.events("signing_keys_failed").isEmpty && gateway.events("signing_keys_failed").isEmpty)
    }

    @Test("keys that a gateway made at an emptied store do not replace those of another one")
    func emptied() throws {
        let fleet = try Fleet(1)
        let old = fleet.gateways[0]
        let token = try Fleet.token(old)
        try old.stop()
        try fleet.redis.ask("FLUSHALL")
        let other = try fleet.another()
        let again = try fleet.another(old.configuration)
        let failure = try #require(again.waitForEvent("signing_keys_failed"))
        #expect(failure["detail"].string?.contains("not one of those in the store") == true, "\(failure)")
        #expect(try Fleet.status(token, again) == 200)
        #expect(try Fleet.published(again).isDisjoint(with: Fleet.published(other)))
    }

    @Test("a start waits for a store that comes back")
    func lateStore() throws {
        let fleet = try Fleet(1, store: #", "staleAfter": "20s""#)
        let first = try #require(Fleet.published(fleet.gateways[0]).first)
        fleet.redis.freeze()
        let directory = try fleet.directory()
        let program = try Program(
            GatewayProcess.binary, ["serve", "--config", directory.path], environment: ["STORE_KEY": Fleet.storeKey])
        #expect(fleet.gateways[0].waitForEvent("signing_keys_failed") != nil)
        fleet.redis.thaw()
        let started = program.wait(.errors) { lines in lines.contains { $0.contains(#""listening""#) } ? true : nil }
        #expect(started == true)
        #expect(try directory.read("state/signing-keys.json").contains(first))
        program.signal(SIGTERM)
        #expect(program.waitForEnd() != nil)
    }

    @Test("forged, foreign and earlier keys in the store are refused, and the last good ones kept")
    func forged() throws {
        let fleet = try Fleet()
        let redis = fleet.redis
        let first = try #require(Fleet.published(fleet.gateways[0]).first)
        try redis.ask("COPY", Fleet.document, "{portcullis:}earlier")
        let next = try fleet.publish(at: 0)
        #expect(try fleet.isPublished([first, next]))
        try redis.ask("COPY", Fleet.document, "{portcullis:}good")
        func expectRefusal(at gateways: [GatewayProcess], _ change: () throws -> Void) throws {
            let before = gateways.map { $0.events("signing_keys_failed").count }
            let kids = try Fleet.published(gateways[0])
            try change()
            for (gateway, count) in zip(gateways, before) {
                let failure = try #require(gateway.waitForEvent("signing_keys_failed", skipping: count))
                #expect(failure["detail"].string?.contains("cannot be opened") == true, "\(failure)")
                #expect(try Fleet.published(gateway) == kids)
            }
            let list = try fleet.command("rotate", "--now", at: 0)
            #expect(list.ending == .exit(1) && list.errors.contains("cannot be opened"), "\(list.errors)")
        }
        try expectRefusal(at: fleet.gateways) { try redis.ask("SET", Fleet.document, "forged") }
        try redis.ask("COPY", "{portcullis:}good", Fleet.document, "REPLACE")
        #expect(try fleet.activate(at: 0) == next)
        #expect(try Fleet.wait { try Fleet.kid(Fleet.token(fleet.gateways[1])) == next })
        try redis.ask("COPY", Fleet.document, "{portcullis:}good", "REPLACE")
        // Of gateways with another prefix and the same key.
        let others = try Fleet(1, store: #", "keyPrefix": "{portcullis:}other:""#, redis: redis)
        #expect(try Fleet.published(others.gateways[0]).isDisjoint(with: [first, next]))
        try expectRefusal(at: [fleet.gateways[1]]) {
            try redis.ask("COPY", "{portcullis:}other:signing-keys:ES256", Fleet.document, "REPLACE")
        }
        // An earlier document is replaced by the newer one that the gateways have.
        try redis.ask("COPY", "{portcullis:}earlier", Fleet.document, "REPLACE")
        let compare = "return redis.call('GET', KEYS[1]) == redis.call('GET', KEYS[2]) and 'same' or 'other'"
        #expect(
            try Fleet.wait {
                try redis.ask("EVAL", compare, "2", Fleet.document, "{portcullis:}earlier") == "other"
            })
        #expect(try fleet.isPublished([first, next]))
        #expect(try Fleet.published(fleet.another()) == [first, next])
    }

    @Test("a gateway with another key of the store does not start, and neither does one with a signing key of its own")
    func strangers() throws {
        let fleet = try Fleet(1)
        let other = Fleet.makeKey()
        let foreign = try fleet.refusal(storeKey: other)
        #expect(
            foreign.contains(#""/tokenService/sharedKeys""#)
                && foreign.contains(#"another \"store.key\" has sealed them"#),
            "\(foreign)")
        let pem = try Self.pem()
        let directory = try fleet.directory(signingKey: pem)
        let own = try fleet.refusal(directory)
        #expect(
            own.contains("state/signing.pem or its index has the key") && own.contains("not one of those in the store"),
            "\(own)")
        #expect(try directory.read("state/signing.pem") == pem)
        // The first gateway of an empty store keeps its key, and the others get it.
        try fleet.gateways[0].stop()
        try fleet.redis.ask("FLUSHALL")
        let kept = try fleet.another(directory)
        let kids = try Fleet.published(kept)
        #expect(try Fleet.published(fleet.another()) == kids)
    }

    @Test("commands on a directory change the keys of all gateways")
    func commands() throws {
        let fleet = try Fleet()
        let old = try Fleet.token(fleet.gateways[0])
        let first = try #require(Fleet.kid(old))
        try fleet.gateways[1].stop()
        let directory = fleet.gateways[1].configuration.path
        func command(_ words: String...) throws -> String {
            let result = try Program.run(
                GatewayProcess.binary, ["signing-keys"] + words + ["--config", directory],
                environment: ["STORE_KEY": Fleet.storeKey])
            #expect(result.ending == .exit(0), "\(result.errors)")
            return result.output
        }
        let next = try fleet.publish(at: 0)
        // The directory does not have it yet.
        #expect(try command("list").contains(next))
        #expect(try JSONText(command("rotate", "--now"))["kid"].string == next)
        #expect(try Fleet.wait { try Fleet.kid(Fleet.token(fleet.gateways[0])) == next })
        #expect(try Fleet.status(old, fleet.gateways[0]) == 200)
        _ = try command("retire", first)
        #expect(try Fleet.wait { try Fleet.status(old, fleet.gateways[0]) == 401 })
        #expect(try Fleet.published(fleet.gateways[0]) == [next])
    }

    @Test("the keys go to a server over TLS with a password")
    func secured() throws {
        let redis = try RedisProcess([["requirepass", "store-password"]], isSecure: true)
        let access = #", "password": "store-password", "tls": {"caFile": "\#(redis.certificatePath)"}"#
        let fleet = try Fleet(store: access, redis: redis, url: "rediss://localhost:\(redis.port)/1")
        let kids = try Fleet.published(fleet.gateways[0])
        #expect(kids.count == 1)
        let next = try fleet.publish(at: 0)
        #expect(try fleet.isPublished(kids.union([next])))
        let wrong = try #require(
            #expect(throws: (any Error).self) {
                _ = try Fleet(
                    1,
                    store:
                        #", "password": "wrong", "staleAfter": "300ms", "tls": {"caFile": "\#(redis.certificatePath)"}"#,
                    redis: redis, url: "rediss://localhost:\(redis.port)/1")
            })
        #expect("\(wrong)".contains("request: refused_WRONGPASS"), "\(wrong)")
        let untrusting = try #require(
            #expect(throws: (any Error).self) {
                _ = try Fleet(
                    1, store: #", "password": "store-password", "staleAfter": "300ms""#, redis: redis,
                    url: "rediss://localhost:\(redis.port)/1")
            })
        #expect("\(untrusting)".contains("certificate_invalid"), "\(untrusting)")
    }
}

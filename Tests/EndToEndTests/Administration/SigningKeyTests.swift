import Foundation
import Glibc
import Testing

/// `portcullis signing-keys`, and the rotation by schedule: the keys that sign the gateway's own tokens.
@Suite struct SigningKeyTests {
    private struct Listed {
        let kid: String
        let state: String
    }

    private static func list(_ admin: Administrator) throws -> [Listed] {
        try admin.done("signing-keys", "list").split(separator: "\n").map { line in
            let key = JSONText(String(line))
            return try Listed(kid: #require(key["kid"].string), state: #require(key["state"].string))
        }
    }

    private static func published(_ gateway: GatewayProcess) throws -> Set<String> {
        Set(
            try JSONText(gateway.request("GET", "/.well-known/jwks.json").text)["keys"].list.compactMap {
                $0["kid"].string
            })
    }

    private static func kid(_ token: String) -> String? { JSONWebToken(token).header["kid"].string }

    private static func isActive(_ token: String, _ fixture: Fixture) throws -> Bool? {
        let form: Field = "Content-Type: application/x-www-form-urlencoded"
        let answer = try fixture.request(
            "POST", "/oauth2/introspect", [.basic("inv-client:inv-secret"), form], body: "token=\(token)")
        return JSONText(answer.text)["active"].bool
    }

    /// Clients that get tokens and use each of them several times.
    private static func load(_ fixture: Fixture, clients: Int) -> TokenLoad {
        TokenLoad(clients: clients) { _ in
            let token = try fixture.token("joe")
            let kid = Self.kid(token)
            for _ in 0..<4 {
                // A connection of its own, which any worker accepts.
                let answer = try fixture.request("GET", "/inventory/me", [.bearer(token)])
                if answer.status != 200 { return (kid, ["\(answer.status) \(answer.text)"]) }
            }
            return (kid, try isActive(token, fixture) == true ? [] : ["introspection"])
        }
    }

    @Test("a rotation under load refuses no token", arguments: Administrator.Way.allCases)
    func rotationUnderLoad(_ way: Administrator.Way) throws {
        let admin = try Administrator(way) { $0["backends"] = StandardsTests.backends() }
        let fixture = admin.fixture
        let old = try fixture.token("joe")
        let first = try #require(Self.kid(old))
        #expect(try Self.published(fixture.gateway) == [first])
        let load = Self.load(fixture, clients: 4)
        load.waitForMore(20)
        let next = try #require(JSONText(try admin.done("signing-keys", "rotate"))["kid"].string)
        #expect(try Self.published(fixture.gateway) == [first, next])
        #expect(try Self.kid(fixture.token("joe")) == first)
        load.waitForMore(20)
        #expect(try admin.refused("signing-keys", "rotate").contains("must be published for 3600 s"))
        try admin.done("signing-keys", "rotate", "--now")
        #expect(try Self.kid(fixture.token("joe")) == next)
        load.waitForMore(20)
        let third = try #require(JSONText(try admin.done("signing-keys", "rotate"))["kid"].string)
        load.waitForMore(20)
        let (kids, failures) = load.stop()
        #expect(failures.isEmpty && kids == [first, next], "\(failures.prefix(3))")
        let states = Dictionary(uniqueKeysWithValues: try Self.list(admin).map { ($0.kid, $0.state) })
        #expect(states == [first: "retired", next: "active", third: "next"])
        #expect(try Self.published(fixture.gateway) == [first, next, third])
        // A token from before the rotation, and the key of what upstreams get.
        #expect(try admin.bearer(old) == 200)
        let upstream = try #require(fixture.lastRequest("/inventory/me").values("Authorization").first)
        #expect(Self.kid(String(upstream.dropFirst("Bearer ".count))) == next)
        // Without the index the gateway goes on with the active key alone.
        try fixture.gateway.configuration.remove("state/signing-keys.json")
        try fixture.reload { _ in }
        #expect(try Self.published(fixture.gateway) == [next])
    }

    @Test("the tokens of a key that is taken out of use are refused", arguments: Administrator.Way.allCases)
    func retirement(_ way: Administrator.Way) throws {
        let admin = try Administrator(way) { $0["backends"] = StandardsTests.backends() }
        let fixture = admin.fixture
        let old = try fixture.token("joe")
        let first = try #require(Self.kid(old))
        #expect(try admin.refused("signing-keys", "retire", first).contains("there is no next one"))
        let next = try #require(JSONText(try admin.done("signing-keys", "rotate"))["kid"].string)
        #expect(try admin.bearer(old) == 200)
        // The active one: the next one takes its place.
        try admin.done("signing-keys", "retire", first)
        #expect(try admin.bearer(old) == 401)
        #expect(try Self.isActive(old, fixture) == false)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "unknown_key" } != nil)
        #expect(try Self.list(admin).map(\.kid) == [next])
        #expect(try Self.published(fixture.gateway) == [next])
        let fresh = try fixture.token("joe")
        #expect(Self.kid(fresh) == next)
        #expect(try admin.bearer(fresh) == 200)
        // A retired one.
        try admin.done("signing-keys", "rotate")
        try admin.done("signing-keys", "rotate", "--now")
        #expect(try admin.bearer(fresh) == 200)
        try admin.done("signing-keys", "retire", next)
        #expect(try admin.bearer(fresh) == 401)
        #expect(try admin.refused("signing-keys", "retire", "nobody").contains(#"there is no signing key "nobody""#))
        // The keys that are left have files, and no others.
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.gateway.configuration.path + "/state")
        let kid = try #require(Self.list(admin).first?.kid)
        #expect(
            Set(names.filter { $0.hasPrefix("signing") }) == ["signing.pem", "signing-keys.json", "signing-\(kid).pem"])
        for name in names where name.hasSuffix(".pem") || name.hasSuffix(".json") {
            let path = fixture.gateway.configuration.path + "/state/" + name
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("a shared secret cannot be rotated")
    func secret() throws {
        let admin = try Administrator(.listener) {
            $0["tokenService"] = #"{"algorithm": "HS256", "key": "0123456789abcdef0123456789abcdef"}"#
            $0["issuers"] = "{}"
            $0["webgates"] = "[]"
            $0["routes"] = FixtureSettings.list([#"{"path": "/plain", "upstream": "stub"}"#])
        }
        for action in [["list"], ["rotate"], ["retire", "x"]] {
            let result = try admin.run(["signing-keys"] + action)
            #expect(result.ending == .exit(1) && result.errors.contains(#"the "key" of HS256 cannot be rotated"#))
        }
    }

    @Test("damaged files are errors of a start and of a reload, which keeps the last good keys")
    func damagedFiles() throws {
        let admin = try Administrator(.listener)
        let (fixture, directory) = (admin.fixture, admin.fixture.gateway.configuration)
        try admin.done("signing-keys", "rotate")
        let keys = try Self.list(admin)
        let kids = Set(keys.map(\.kid))
        let index = try directory.read("state/signing-keys.json")
        let key = "state/signing-\(keys[1].kid).pem"
        let pem = try directory.read(key)
        func expectRefusal(_ message: String) throws {
            let check = try Program.run(GatewayProcess.binary, ["check", directory.path])
            #expect(check.ending == .exit(1))
            #expect((check.output + check.errors).contains(message), "\(check.output)\(check.errors)")
            try fixture.reload(expecting: "reload_failed") { _ in }
            #expect(try Self.published(fixture.gateway) == kids)
        }
        try directory.write("state/signing-keys.json", "{")
        try expectRefusal("/tokenService/keyFile: \(directory.path)/state/signing-keys.json: it is not JSON")
        try directory.write(
            "state/signing-keys.json",
            index.replacing(#""state":"next","#, with: #""state":"active","activatedAt":1,"#))
        try expectRefusal("it has 2 active keys")
        try directory.write("state/signing-keys.json", index.replacing(keys[1].kid, with: keys[0].kid))
        try expectRefusal("key 1 has the \"kid\" of an earlier key")
        try directory.write("state/signing-keys.json", index)
        try directory.remove(key)
        try expectRefusal("\(key) is missing")
        try directory.write(key, directory.read("state/signing.pem"))
        try expectRefusal("\(key) holds the key \"\(keys[0].kid)\"")
        let other = try Program.run("/usr/bin/openssl", ["genpkey", "-algorithm", "ed25519"])
        try directory.write(key, other.output)
        try expectRefusal("\(key) holds no key for ES256")
        try directory.write(key, pem)
        let stranger = try Program.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
        let first = try directory.read("state/signing.pem")
        try directory.write("state/signing.pem", stranger.output)
        try expectRefusal("signing-keys.json does not list")
        try directory.write("state/signing.pem", first)
        try fixture.reload { _ in }
        #expect(try Self.published(fixture.gateway) == kids)
    }

    @Test("keys rotate by schedule, and a second gateway on the directory follows")
    func schedule() throws {
        let admin = try Administrator(.listener) {
            $0["tokenService"] = #"{"rotateEvery": "4s", "publishKeysFor": "2s"}"#
        }
        let fixture = admin.fixture
        let old = try fixture.token("joe")
        let first = try #require(Self.kid(old))
        let second = try GatewayProcess(fixture.gateway.configuration)
        // Either of them makes the change; both know it then.
        let gateways = [fixture.gateway, second]
        let published = try #require(Self.wait(gateways, "signing_key_published")?["kid"].string)
        let activated = try #require(Self.wait(gateways, "signing_key_activated")?["kid"].string)
        #expect(activated == published && published != first)
        for gateway in gateways {
            let deadline = Deadline.usual
            while try !Self.published(gateway).isSuperset(of: [first, published]), !deadline.isPast { usleep(20_000) }
            #expect(try Self.published(gateway).isSuperset(of: [first, published]))
        }
        let list = try Self.list(admin)
        #expect(list.filter { $0.state == "active" }.count == 1 && list.contains { $0.kid == first })
        #expect(try admin.bearer(old) == 200)
        #expect(fixture.gateway.events("signing_keys_failed").isEmpty && second.events("signing_keys_failed").isEmpty)
    }

    @Test("what a killed process of the same id left behind does not stand in the way")
    func leftover() throws {
        let admin = try Administrator(.listener)
        let gateway = admin.fixture.gateway
        try gateway.configuration.write("state/signing-keys.json.\(gateway.program.processIdentifier)", "{")
        try admin.done("signing-keys", "rotate")
        #expect(try Self.list(admin).map(\.state) == ["active", "next"])
    }

    @Test("a rotation that fails is reported once, changes nothing and is tried again")
    func failure() throws {
        let admin = try Administrator(.listener) {
            $0["tokenService"] = #"{"rotateEvery": "4s", "publishKeysFor": "1s"}"#
        }
        let gateway = admin.fixture.gateway
        let first = try #require(Self.kid(admin.fixture.token("joe")))
        // A directory where the draft of the index would be.
        let obstacle = "state/signing-keys.json.\(gateway.program.processIdentifier)"
        try gateway.configuration.write(obstacle + "/x", "")
        let failure = try #require(gateway.waitForEvent("signing_keys_failed"))
        #expect(failure["detail"].string?.contains("signing-keys.json cannot be written") == true)
        #expect(try Self.kid(admin.fixture.token("joe")) == first)
        #expect(try Self.list(admin).map(\.state) == ["active"])
        let names = try FileManager.default.contentsOfDirectory(atPath: gateway.configuration.path + "/state")
        #expect(names.filter { $0.hasPrefix("signing-") && $0.hasSuffix(".pem") } == ["signing-\(first).pem"])
        try gateway.configuration.remove(obstacle)
        #expect(gateway.waitForEvent("signing_key_published") != nil)
        #expect(gateway.events("signing_keys_failed").count == 1)
    }

    @Test("a retired key goes once its last token has ended")
    func ended() throws {
        let admin = try Administrator(.listener)
        let directory = admin.fixture.gateway.configuration
        let first = try #require(Self.kid(admin.fixture.token("joe")))
        try admin.done("signing-keys", "rotate")
        try admin.done("signing-keys", "rotate", "--now")
        #expect(try Self.published(admin.fixture.gateway).contains(first))
        let index = try directory.read("state/signing-keys.json")
        let end = try #require(JSONText(index)["keys"][0]["acceptedUntil"].integer)
        try directory.write("state/signing-keys.json", index.replacing("\(end)", with: "1000"))
        // The gateway looks at the index from time to time, without a signal.
        #expect(admin.fixture.gateway.waitForEvent("signing_key_removed")?["kid"].string == first)
        #expect(try !Self.published(admin.fixture.gateway).contains(first))
        #expect(try Self.list(admin).map(\.state) == ["active"])
    }

    private static func wait(_ gateways: [GatewayProcess], _ event: String) -> JSONText? {
        let deadline = Deadline.usual
        while !deadline.isPast {
            for gateway in gateways {
                if let found = gateway.waitForEvent(event, .after(.milliseconds(50))) { return found }
            }
        }
        return nil
    }
}

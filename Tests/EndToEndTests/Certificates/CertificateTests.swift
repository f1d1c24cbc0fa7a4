import Foundation
import Glibc
import TestSupport
import Testing

/// Certificates of listeners that an authority issues (RFC 8555). Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct CertificateTests {
    /// What is said of an order, by its fault.
    private static let faults = [
        "rejected": "rejectedIdentifier: not [31m these; rejected.example.com: caa: a record forbids it",
        "limited": "rateLimited: too many", "silent": "does not answer", "nolocation": "without \"Location\"",
        "path": "gives no token", "nohttp": "has no challenge http-01",
        "token": "gives no token of at least 128 bits", "unasked": "asks to prove \"stranger.example.com\"",
        "many": "50 authorizations for 1 names", "plain": "which is not an https URL",
        "invalid": "has the status \"invalid\": unauthorized: 200:", "otherkey": "does not belong to the certificate",
        "othername": "not for othername.example.com", "more": "other.example.com, which was not ordered",
        "brief": "for less than an hour", "weak": "weak key or signature",
        "long": "a chain that is too long", "expired": "not valid now", "premature": "not valid now",
        "garbage": "is damaged", "huge": "does not answer", "nowhere": "gives \"\" as certificate",
        "unsigned": "badCSR: no, thanks", "withdrawn": "the order has the status \"invalid\"",
    ]

    @Test(
        "an authority that refuses or lies gives no certificate, is said to in words, and holds no other certificate up"
    )
    func faults() throws {
        let fixture = try CertificateFixture()
        // The chain of the last one lacks the root, which is optional.
        let names = (Self.faults.keys + ["good", "short"]).map { "\($0).example.com" }
        let gateway = try fixture.gateway(ConfigurationDirectory(fixture.files(names)))
        let failures = gateway.events("certificate_failed", count: Self.faults.count)
        for (fault, text) in Self.faults {
            let name = "\(fault).example.com"
            let failure = failures.first { $0["names"].strings == [name] }
            #expect(failure?["detail"].string?.contains(text) == true, "\(fault): \(failure?.text ?? "no event")")
            let seconds = failure?["retry_seconds"].integer ?? 0
            #expect(fault == "limited" ? (7100...7200).contains(seconds) : (50...60).contains(seconds), "\(fault)")
        }
        #expect(try fixture.waitUntilTrusted("good.example.com", gateway))
        #expect(try fixture.waitUntilTrusted("short.example.com", gateway))
        #expect(gateway.events("certificate_obtained").count == 2)
        let waiting = try CertificateFixture.presented("rejected.example.com", gateway, root: fixture.root)
        #expect(waiting.contains("no certificate yet") && !waiting.contains("Verification: OK"), "\(waiting)")
        #expect(fixture.orders.count == names.count)
        #expect(!gateway.everythingWritten.contains("PRIVATE KEY"))
    }

    @Test(
        "what is wrong with an authority as a whole is said",
        arguments: [
            ("nojson", "answers with status 200"), ("unavailable", "serverInternal: closed for  repairs"),
            ("plain", "as newOrder, which is not an https URL"), ("refusing", "unauthorized: no accounts today"),
            ("deactivated", "the account has the status \"deactivated\""), ("nononce", "gives no nonce"),
            ("stale", "badNonce: no such nonce"), ("customers", "needs \"externalAccount\""),
        ])
    func directories(_ path: String, _ text: String) throws {
        let fixture = try CertificateFixture()
        let gateway = try fixture.gateway(
            ConfigurationDirectory(fixture.files(["good.example.com"], path: path)))
        let failure = try #require(gateway.waitForEvent("certificate_failed"))
        #expect(failure["detail"].string?.contains(text) == true, "\(failure.text)")
        #expect(fixture.orders.isEmpty)
        if path == "unavailable" { #expect((7100...7200).contains(failure["retry_seconds"].integer ?? 0)) }
    }

    @Test("an authority that stalls holds up neither requests nor the end, and a record is released at the end")
    func stalling() throws {
        let fixture = try CertificateFixture()
        let directory = try ConfigurationDirectory(fixture.files(["good.example.com"], path: "stalled"))
        let gateway = try fixture.gateway(directory)
        #expect(fixture.waitForLine("STALLED"))
        let host = [Field(name: "Host", value: "good.example.com")]
        #expect(try gateway.request("GET", "/", host, listener: "plain").status == 308)
        #expect(try gateway.stop() == .exit(0))
        #expect(gateway.events("certificate_failed").isEmpty)
        let folder = directory.path + "/state/acme/certificates"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".json") })
        let record = JSONText(try directory.read("state/acme/certificates/\(name)"))
        #expect(record["heldUntil"].integer == 0 && record["failures"].integer == 0, "\(record.text)")
        let again = try fixture.gateway(directory)
        let failure = try #require(again.waitForEvent("certificate_failed", .after(.seconds(60))))
        #expect(failure["detail"].string?.contains("does not answer") == true, "\(failure.text)")
    }

    @Test("an authority without trust, or that nothing listens for, is not asked")
    func unreachable() throws {
        let fixture = try CertificateFixture()
        for (from, to) in [
            (#", "tls": {"caFile": "\#(fixture.root)"}"#, ""), (fixture.url, "https://127.0.0.1:1"),
        ] {
            var files = fixture.files(["good.example.com"])
            files["gateway.json"] = files["gateway.json"]?.replacing(from, with: to)
            let gateway = try fixture.gateway(ConfigurationDirectory(files))
            let failure = try #require(gateway.waitForEvent("certificate_failed"))
            #expect(failure["detail"].string?.contains("does not answer") == true, "\(failure.text)")
            #expect(fixture.orders.isEmpty)
        }
    }

    @Test("the account is bound to one of the authority's customers")
    func externalAccount() throws {
        let fixture = try CertificateFixture()
        let key = Data("a key of the customer, 32 bytes..".utf8).base64EncodedString().prefix { $0 != "=" }
        let account = #", "externalAccount": {"keyId": "customer-1", "key": "env:CUSTOMER"}"#
        let gateway = try fixture.gateway(
            ConfigurationDirectory(fixture.files(["good.example.com"], path: "customers", more: account)),
            environment: ["CUSTOMER": String(key)])
        #expect(try fixture.waitUntilTrusted("good.example.com", gateway), "\(gateway.everythingWritten)")
    }

    @Test("a certificate is renewed ahead of its end, and one for all names is kept over a restart")
    func renewal() throws {
        let fixture = try CertificateFixture()
        let names = "good.example.com www.example.com"
        let clock = try SteppedClock()
        let directory = try ConfigurationDirectory(fixture.files([names]))
        let gateway = try fixture.gateway(directory, environment: clock.environment)
        let first = try #require(gateway.waitForEvent("certificate_obtained"))
        try clock.step(to: 61 * 86_400)
        let second = try #require(gateway.waitForEvent("certificate_obtained", skipping: 1))
        let ends = [first, second].compactMap { $0["until"].integer }
        #expect(ends.count == 2 && ends[1] >= ends[0] && ends[1] < ends[0] + 60)
        #expect(fixture.orders == [names, names])
        #expect(try gateway.stop() == .exit(0))
        let other = try CertificateFixture()
        try directory.write("gateway.json", other.files([names])["gateway.json"] ?? "")
        // Another authority is asked at once, and its certificate is there at the next start.
        let moved = try other.gateway(directory)
        #expect(try other.waitUntilTrusted("good.example.com", moved))
        #expect(try moved.stop() == .exit(0))
        let again = try other.gateway(directory)
        #expect(try other.isTrusted("good.example.com", again))
        #expect(other.orders == [names])
    }

    @Test("without the key of its account a gateway presents what it has, and a damaged record is replaced")
    func damage() throws {
        let fixture = try CertificateFixture()
        let directory = try ConfigurationDirectory(fixture.files(["good.example.com"]))
        let gateway = try fixture.gateway(directory)
        #expect(try fixture.waitUntilTrusted("good.example.com", gateway))
        #expect(try gateway.stop() == .exit(0))
        let folder = "state/acme/certificates"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(folder)").first)
        let kept = try directory.read("\(folder)/\(name)")
        let account = try directory.read("state/acme/account.pem")
        // Without its account the gateway presents what it has.
        try directory.write("state/acme/account.pem", "no key")
        let lamed = try fixture.gateway(directory)
        #expect(try fixture.isTrusted("good.example.com", lamed))
        #expect(lamed.findings.contains("holds no key for ES256"), "\(lamed.everythingWritten)")
        #expect(try lamed.stop() == .exit(0))
        try directory.write("state/acme/account.pem", account)
        for (old, new) in [("\"renewal\":", "\"renewal\":9223372036854775807,\"x\":"), ("BEGIN CERT", "BEGIN X")] {
            try directory.write("\(folder)/\(name)", kept.replacing(old, with: new))
            let again = try fixture.gateway(directory)
            #expect(again.waitForEvent("certificate_obtained") != nil, "\(again.everythingWritten)")
            #expect(try fixture.waitUntilTrusted("good.example.com", again))
            #expect(try again.stop() == .exit(0))
        }
        #expect(fixture.orders.count == 3)
    }

    @Test("a certificate that is there stays in use while one for more names is refused, and when it has ended")
    func stopgap() throws {
        let fixture = try CertificateFixture()
        let clock = try SteppedClock()
        let directory = try ConfigurationDirectory(fixture.files(["good.example.com"]))
        let gateway = try fixture.gateway(directory, environment: clock.environment)
        #expect(try fixture.waitUntilTrusted("good.example.com", gateway))
        let more = fixture.files(["rejected.example.com good.example.com"])
        try directory.write("gateway.json", more["gateway.json"] ?? "")
        gateway.program.signal(SIGHUP)
        _ = try #require(gateway.waitForEvent("certificate_failed"))
        #expect(try fixture.isTrusted("good.example.com", gateway))
        #expect(try gateway.stop() == .exit(0))
        let again = try fixture.gateway(directory, environment: clock.environment)
        #expect(try fixture.isTrusted("good.example.com", again))
        #expect(try again.stop() == .exit(0))
        // A service whose unit checks the configuration must start, to renew the certificate.
        try directory.write("gateway.json", fixture.files(["good.example.com"])["gateway.json"] ?? "")
        try clock.step(to: 100 * 86_400)
        let check = try CommandLine.run(
            "check", directory.path, "--production",
            environment: clock.environment.merging(["ADMIN": String(repeating: "a", count: 40)]) { $1 })
        #expect(check.errors.contains("warning: /listeners/0/tls/certificates/0/names: the certificate"), "\(check)")
        #expect(!(check.output + check.errors).contains("error: /listeners"), "\(check)")
    }

    @Test("an authority that suggests it gets an early renewal, and one whose suggestion means nothing does not")
    func suggestions() throws {
        let fixture = try CertificateFixture()
        let names = ["early.example.com", "mute.example.com", "replaced.example.com"]
        let clock = try SteppedClock()
        let gateway = try fixture.gateway(ConfigurationDirectory(fixture.files(names)), environment: clock.environment)
        #expect(gateway.events("certificate_obtained", count: 3).count == 3, "\(gateway.everythingWritten)")
        // Not before an hour.
        try clock.step(to: 7200)
        #expect(gateway.events("certificate_obtained", count: 4).count == 4, "\(gateway.everythingWritten)")
        #expect(fixture.orders.filter { $0 == names[0] }.count == 2)
        #expect(fixture.lines("REPLACES") == [names[0]])
        // After two thirds of the lifetime all are renewed, also the one that the authority takes for replaced.
        try clock.step(to: 65 * 86_400)
        #expect(gateway.events("certificate_obtained", count: 7).count == 7, "\(gateway.everythingWritten)")
        #expect(fixture.lines("REPLACES").sorted() == [names[0], names[0], names[1]])
        #expect(gateway.events("certificate_failed").isEmpty)
    }

    @Test("attempts that fail become rarer, also over restarts")
    func pauses() throws {
        let fixture = try CertificateFixture()
        let clock = try SteppedClock()
        let directory = try ConfigurationDirectory(fixture.files(["rejected.example.com"]))
        let first = try fixture.gateway(directory, environment: clock.environment)
        #expect((50...60).contains(first.waitForEvent("certificate_failed")?["retry_seconds"].integer ?? 0))
        #expect(try first.stop() == .exit(0))
        let gateway = try fixture.gateway(directory, environment: clock.environment)
        _ = try #require(gateway.waitForEvent("ready"))
        try clock.step(to: 70)
        let failure = try #require(gateway.waitForEvent("certificate_failed"))
        #expect((590...600).contains(failure["retry_seconds"].integer ?? 0), "\(failure.text)")
        #expect(fixture.orders.count == 2)
    }

    @Test("challenges are answered on listeners that redirect and on others, and nothing else is")
    func challenges() throws {
        let fixture = try CertificateFixture()
        let gateway = try fixture.gateway(ConfigurationDirectory(fixture.files(["good.example.com"])))
        #expect(try fixture.waitUntilTrusted("good.example.com", gateway))
        let token = String(repeating: "aZ0-_", count: 8)
        let host = [Field(name: "Host", value: "good.example.com")]
        func status(_ target: String, by method: String = "GET") throws -> Int {
            try gateway.request(method, target, host, listener: "plain").status
        }
        let answer = try gateway.request("GET", "/.well-known/acme-challenge/\(token)", host, listener: "plain")
        #expect(answer.status == 200 && answer.text.hasPrefix("\(token)."), "\(answer.text)")
        #expect(answer.only("Content-Type") == "application/octet-stream")
        #expect(try status("/.well-known/acme-challenge/\(token)", by: "HEAD") == 200)
        #expect(try status("/.well-known/acme-challenge/\(token)", by: "POST") == 405)
        for other in ["short", String(repeating: "a", count: 257), "\(token)/x", "%3Cscript%3E\(token)"] {
            #expect(try status("/.well-known/acme-challenge/\(other)") == 404, "\(other)")
        }
        for other in ["", "/../x", "/%2e%2e/x", "/../../" + token] {
            #expect(try status("/.well-known/acme-challenge\(other)") == 308, "\(other)")
        }
    }

    @Test("commands read files alone: check names what is missing and tries the authority, explain shows challenges")
    func commands() throws {
        let fixture = try CertificateFixture()
        let directory = try ConfigurationDirectory(fixture.files(["good.example.com"]))
        func run(_ words: String...) throws -> String {
            let result = try Program.run(
                GatewayProcess.binary, words + ["--config", directory.path],
                environment: ["ADMIN": String(repeating: "a", count: 40)])
            return result.output + result.errors
        }
        let check = try run("check", "--connect")
        #expect(check.contains("there is no certificate for good.example.com yet"), "\(check)")
        #expect(
            check.contains("ok     authority: \(fixture.url)/good/directory")
                && !check.contains("certificate /listeners"), "\(check)")
        let path = "/.well-known/acme-challenge/\(String(repeating: "x", count: 30))"
        let shown = try run("explain", "GET", path, "--host", "good.example.com", "--plain")
        #expect(shown.contains("acmeChallenge") && !shown.contains("redirects to https"), "\(shown)")
        let other = try run("explain", "GET", "/x\(path)", "--host", "good.example.com", "--plain")
        #expect(other.contains("redirects to https"), "\(other)")
        #expect(fixture.orders.isEmpty && !FileManager.default.fileExists(atPath: directory.path + "/state"))
    }

    @Test("gateways with one store share the account and the certificate: one asks, and any answers the challenge")
    func fleet() throws {
        let fixture = try CertificateFixture()
        let redis = try RedisProcess()
        let store = """

              "store": {"kind": "redis", "url": "unix:\(redis.socketPath)", "key": "env:STORE", "timeout": "300ms"},
            """
        let environment = ["STORE": Data(repeating: 7, count: 32).base64EncodedString()]
        let files = fixture.files(["good.example.com"], store: store)
        let directories = try (0..<3).map { _ in try ConfigurationDirectory(files) }
        let gateways = try directories.map { try fixture.gateway($0, environment: environment) }
        for gateway in gateways { #expect(try fixture.waitUntilTrusted("good.example.com", gateway)) }
        #expect(fixture.orders == ["good.example.com"])
        #expect(gateways.flatMap { $0.events("certificate_obtained") }.count == 1)
        let stored = try redis.ask("GET", "{portcullis:}acme:account.pem")
        #expect(!stored.isEmpty && !stored.contains("PRIVATE KEY"), "\(stored.prefix(100))")
        for gateway in gateways { #expect(try gateway.stop() == .exit(0)) }
        // From the store, with an empty folder.
        let fresh = try fixture.gateway(ConfigurationDirectory(files), environment: environment)
        #expect(try fixture.isTrusted("good.example.com", fresh))
        #expect(try fresh.stop() == .exit(0))
        // From the folder, without the store; and into the store, where it has lost it.
        redis.crash()
        let alone = try fixture.gateway(directories[0], environment: environment)
        #expect(try fixture.isTrusted("good.example.com", alone))
        #expect(try alone.stop() == .exit(0))
        #expect(fixture.orders == ["good.example.com"])
    }

    @Test("pebble, the test server of Let's Encrypt, issues a certificate after a reload, although it refuses nonces")
    func pebble() throws {
        let fixture = try CertificateFixture()
        let directory = try ConfigurationDirectory(fixture.files(["rejected.example.com"]))
        let gateway = try fixture.gateway(directory)
        _ = try #require(gateway.waitForEvent("certificate_failed"))
        let script = Vectors.root.appending(path: "Tests/Interop/pebble_authority.py").path
        let program = try Program(
            try #require(LoginProvider.python), [script, fixture.place.path, "\(gateway.port("plain"))"])
        let url = try #require(program.wait(.output) { $0.first }, "\(program.lines(.errors))")
        var text = fixture.files(["good.example.com www.example.com"])["gateway.json"] ?? ""
        text = text.replacing("\(fixture.url)/good/directory", with: url)
            .replacing(fixture.root, with: fixture.place.path + "/pebble.pem")
        try directory.write("gateway.json", text)
        gateway.program.signal(SIGHUP)
        let obtained = try #require(gateway.waitForEvent("certificate_obtained"), "\(gateway.everythingWritten)")
        #expect(obtained["names"].strings == ["good.example.com", "www.example.com"])
        let deadline = Deadline.usual
        var presented = ""
        repeat {
            presented = try CertificateFixture.presented("www.example.com", gateway, root: fixture.root)
        } while !presented.contains("CN = good.example.com") && !deadline.isPast
        #expect(presented.contains("CN = good.example.com"), "\(presented)")
        program.signal(SIGTERM)
        _ = program.waitForEnd()
    }
}

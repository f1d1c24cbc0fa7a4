import Foundation
import Glibc
import Testing

/// What administrators and those who would like to be one may send, and what two of them do at once.
@Suite struct HostileAdministrationTests {
    private func send(
        _ fixture: Fixture, _ method: String, _ target: String, _ body: String? = nil, _ fields: [Field] = []
    ) throws -> Response {
        try fixture.gateway.request(method, target, [.bearer("admin-secret")] + fields, body: body, listener: "admin")
    }

    @Test("names in paths are never files; malformed paths are 400, unknown names 404")
    func paths() throws {
        let fixture = try Fixture()
        let before = try FileManager.default.contentsOfDirectory(atPath: fixture.gateway.configuration.path)
        for (target, status) in [
            ("/admin/users/..%2f..%2fetc%2fpasswd", 404), ("/admin/users/../../etc/passwd", 404),
            ("/admin/users/%2e%2e", 404),
            ("/admin/users/joe%00", 400), ("/admin/users/joe%0a", 400), ("/admin/users/%ff", 400),
            ("/admin/users/%", 400),
            ("/admin/users/%zz", 400), ("/admin/users/joe?realm=%ff", 400),
            ("/admin/users/joe?realm=A&realm=Default", 400),
            ("/admin/users/", 404), ("/admin//users", 404), ("/admin/", 404), ("/admin/users/joe/x", 404),
            ("/admin/user", 404),
            ("/admin/Users", 404), ("/admin/users/joe", 200), ("/admin/users/%6aoe?realm=Default", 200),
            ("/admin/users/Joe", 404), ("/admin/backends/inventory", 200),
            ("/admin/backends/inventory/1.0/routes", 405),
        ] {
            #expect(try send(fixture, "GET", target).status == status, "\(target)")
        }
        for alias in ["../../x", "/etc/passwd", "a/b", "..", "x\\\\y"] {
            _ = try send(fixture, "POST", "/admin/certificates", #"{"alias": "\#(alias)", "pem": "x"}"#)
            _ = try send(fixture, "POST", "/admin/users", #"{"username": "\#(alias)"}"#)
            _ = try send(fixture, "POST", "/admin/realms", #"{"name": "\#(alias)"}"#)
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: fixture.gateway.configuration.path)
        #expect(Set(after).subtracting(before) == ["realms.json"])
        #expect(try send(fixture, "GET", "/admin/users/..%2F..%2Fx").status == 200)
    }

    @Test("unsupported methods of a resource are 405 with its methods")
    func methods() throws {
        let fixture = try Fixture()
        for (method, target, allowed) in [
            ("PUT", "/admin/users", "GET, HEAD, POST"), ("POST", "/admin/users/joe", "GET, HEAD, PATCH, DELETE"),
            ("PATCH", "/admin/policies/Security_AllowOrigin", "GET, HEAD, PUT, DELETE"),
            ("DELETE", "/admin/realms", "GET, HEAD, POST"),
            ("OPTIONS", "/admin/users", "GET, HEAD, POST"), ("BREW", "/admin/backends", "GET, HEAD, POST"),
        ] {
            let response = try send(fixture, method, target)
            #expect(response.status == 405, "\(method) \(target)")
            #expect(response.only("Allow") == allowed)
        }
    }

    @Test("malformed JSON, duplicate or unknown members, invalid UTF-8 and wrong types are 400; nothing is written")
    func bodies() throws {
        let fixture = try Fixture()
        let before = try fixture.gateway.configuration.contents()
        for (method, target, body) in [
            ("POST", "/admin/users", ""), ("POST", "/admin/users", "["), ("POST", "/admin/users", "[]"),
            ("POST", "/admin/users", "null"),
            ("POST", "/admin/users", #"{"username": "x", "username": "y"}"#),
            ("POST", "/admin/users", #"{"username": "x", "user\u006eame": "y"}"#),
            ("POST", "/admin/users", #"{"username": "x", "enabled": "false"}"#),
            ("POST", "/admin/users", #"{"username": 7}"#),
            ("POST", "/admin/users", #"{"username": "x", "role": ["Clerk"]}"#),
            ("POST", "/admin/users", #"{"username": "x", "roles": [1]}"#),
            ("POST", "/admin/users", #"{"username": "x", "password": "a", "passwordHash": "{PlainText}a"}"#),
            ("POST", "/admin/users", #"{"username": "x", "password": ""}"#),
            ("POST", "/admin/users", #"{"username": ""}"#), ("POST", "/admin/users", #"{"username": "x\u0000"}"#),
            ("POST", "/admin/users", #"{"username": "x", "scheme": "scrypt ", "password": "x"}"#),
            ("PATCH", "/admin/users/joe", #"{"username": "x"}"#), ("PATCH", "/admin/users/joe", #"{"realm": "x"}"#),
            ("PUT", "/admin/policies/Security_AllowOrigin", #"{"values": "*"}"#),
            ("PUT", "/admin/policies/Security_AllowOrigin", #"{"value": null}"#),
            ("PUT", "/admin/policies/Security_AllowOrigin", #"{"name": "x", "value": "*"}"#),
            ("PATCH", "/admin/routes/%2Fplain", "{}"), ("PATCH", "/admin/routes/%2Fplain", #"{"": 1}"#),
            ("PATCH", "/admin/routes/%2Fplain", #"{"a..b": 1}"#),
            ("PATCH", "/admin/backends/inventory/1.0", #"{"clientSecret": "x"}"#),
            ("POST", "/admin/users", String(repeating: "[", count: 100_000)),
        ] {
            let response = try send(fixture, method, target, body)
            #expect(response.status == 400, "\(method) \(target) \(body.prefix(60)): \(response.text)")
            #expect(JSONText(response.text)["code"].string == "invalid_request")
        }
        let connection = try fixture.gateway.connect("admin")
        let head =
            "POST /admin/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-secret\r\nContent-Length: 18\r\n\r\n"
        try connection.send(Array(head.utf8) + Array(#"{"username": "x"#.utf8) + [0xFF] + Array(#""}"#.utf8))
        #expect(try connection.readResponse().status == 400)
        // A configuration that would not be valid is 422, and says why without a secret.
        for body in [
            #"{"username": "x", "roles": ["clerk"]}"#, #"{"username": "x", "passwordHash": "geheim"}"#,
            #"{"username": "x", "email": "nobody"}"#, #"{"username": "x", "roles": ["Clerk", "Clerk"]}"#,
        ] {
            let response = try send(fixture, "POST", "/admin/users", body)
            #expect(response.status == 422, "\(body)")
            #expect(JSONText(response.text)["errors"].strings.first?.contains("error: /users/4") == true)
            #expect(!response.text.contains("geheim"))
        }
        #expect(try fixture.gateway.configuration.contents() == before)
        #expect(!fixture.gateway.everythingWritten.contains("geheim"))
    }

    @Test("a body of more than 1 MiB is 413; a smaller one is accepted")
    func sizes() throws {
        let fixture = try Fixture()
        let long = String(repeating: "x", count: 1 << 20)
        #expect(try send(fixture, "POST", "/admin/users", #"{"username": "\#(long)"}"#).status == 413)
        let rows = (0..<4000).map {
            "user\($0),user\($0)@example.com,Clerk,{PlainText}\(String(repeating: "p", count: 200))"
        }
        let csv = "username,email,roles,passwordHash\n" + rows.joined(separator: "\n")
        #expect(csv.utf8.count > 900_000)
        let response = try send(fixture, "POST", "/admin/users", csv, ["Content-Type: text/csv"])
        #expect(response.status == 201, "\(response.text.prefix(300))")
        #expect(JSONText(try send(fixture, "GET", "/admin/users").text).list.count == 4004)
    }

    @Test("all of many concurrent changes by both interfaces are applied, and the file is always complete")
    func atOnce() throws {
        let fixture = try Fixture(files: ["users.json": "[]", "realms.json": #"["Default"]"#]) { $0["users"] = nil }
        let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        let programs = try (0..<12).map { number in
            let way = number.isMultiple(of: 2) ? ["--config", fixture.gateway.configuration.path] : ["--admin", url]
            let words =
                number < 8
                ? ["users", "add", "user\(number)", "--no-password"] : ["realms", "add", "realm\(number)"]
            return try Program(
                GatewayProcess.binary, words + way, environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        }
        var looks = 0
        while programs.contains(where: \.isRunning) || looks == 0 {
            #expect(JSONText(try fixture.gateway.configuration.read("users.json")).exists)
            looks += 1
        }
        for program in programs { #expect(program.waitForEnd() == .exit(0), "\(program.lines(.errors))") }
        let users = JSONText(try fixture.gateway.configuration.read("users.json")).list.compactMap {
            $0["username"].string
        }
        #expect(Set(users) == Set((0..<8).map { "user\($0)" }) && users.count == 8)
        #expect(JSONText(try fixture.gateway.configuration.read("realms.json")).strings.count == 5)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.gateway.configuration.path)
        #expect(names.sorted() == ["gateway.json", "realms.json", "state", "users.json"])
    }

    @Test("changes under load lose no request")
    func underLoad() throws {
        let fixture = try Fixture()
        let token = try fixture.token("ann")
        let admin = Administrator(.listener, of: fixture)
        let connection = try fixture.connect()
        for round in 0..<10 {
            #expect(try connection.exchange("GET", "/inventory/me", [.bearer(token)]).status == 200)
            try admin.done("users", "add", "user\(round)", "--no-password")
            #expect(try connection.exchange("GET", "/inventory/me", [.bearer(token)]).status == 200)
        }
    }

    @Test("a link is followed only to a file of the same owner; a directory is not accepted as a file")
    func links() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        let place = directory.path + "/realms.json"
        let add = { try CommandLine.run("realms", "add", "X", "--config", directory.path) }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        #expect(try add().ending == .exit(1))
        try FileManager.default.removeItem(atPath: place)
        let elsewhere = try ConfigurationDirectory(["realms.json": #"["Default"]"#])
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: elsewhere.path + "/realms.json")
        #expect(try add().ending == .exit(0))
        #expect(try elsewhere.read("realms.json") == #"["Default", "X"]"#)
        guard geteuid() == 0 else { return }
        // SAFETY: the text outlives the call.
        let owned = unsafe lchown(place, 1, 1)
        #expect(owned == 0)
        let foreign = try CommandLine.run("realms", "add", "Y", "--config", directory.path)
        #expect(
            foreign.ending == .exit(1) && foreign.errors.contains("not to a regular file of the same owner"),
            "\(foreign.errors)"
        )
        #expect(try elsewhere.read("realms.json") == #"["Default", "X"]"#)
    }

    @Test("a lock that is never released is waited for, then reported")
    func locked() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        let lock = try #require(FileHandle(forReadingAtPath: directory.path))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        let result = try CommandLine.run("realms", "add", "X", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("another change is being made"))
    }

    @Test("the audit log names what a refused request would have added")
    func refusedAdditions() throws {
        let admin = try Administrator(.listener)
        let cases = [
            ("users", #"{"username": "joe"}"#, "joe"), ("users", #"{"username": "a\u0007b"}"#, "a\u{7}b"),
            ("users", #"{"username": "x", "other": 1}"#, "x"), ("users", "no JSON", ""), ("users", "[1]", ""),
            ("roles", #"{"name": "Clerk"}"#, "Clerk"), ("realms", #"{"name": "Default", "x": 1}"#, "Default"),
            ("backends", #"{"name": "inventory", "version": "1.0"}"#, "inventory/1.0"),
            ("certificates", #"{"alias": "mine", "pem": "none"}"#, "mine"),
            ("users", #"{"username": "\#(String(repeating: "x", count: 1000))"}"#, String(repeating: "x", count: 256)),
        ]
        for (place, (resource, body, object)) in cases.enumerated() {
            let answer = try admin.fixture.admin("POST", "/admin/\(resource)", body: body)
            #expect((400..<500).contains(answer.status), "\(body): \(answer.text)")
            let line = try #require(admin.fixture.gateway.waitForEvent("audit", skipping: place))
            #expect(line["outcome"].string == "refused" && line["object"].string == object, "\(line)")
        }
    }

    @Test("every change has an audit log line with caller, change and result, never a secret")
    func audit() throws {
        let admin = try Administrator(.listener)
        try admin.done("users", "add", "carl", "--roles", "Clerk", input: "Top-Secret-1\n")
        _ = try admin.refused("users", "assign-role", "carl", "clerk")
        try admin.done("users", "list")
        let secret = try #require(
            JSONText(try admin.done("backend", "rotate-secret", "inventory", "1.0"))["clientSecret"].string)
        try admin.done("backend", "show", "inventory", "--secrets")
        let lines = admin.fixture.gateway.events("audit", count: 4)
        let facts = lines.map { [$0["action"].string, $0["object"].string, $0["outcome"].string, $0["reason"].string] }
        #expect(
            facts == [
                ["users.add", "carl", "changed", nil], ["users.change", "carl", "refused", "invalid_configuration"],
                ["backends.rotate-secret", "inventory/1.0", "changed", nil],
                ["backends.show", "inventory/1.0", "shown", nil],
            ])
        // Of a membership both ends.
        #expect(lines[0]["roles_given"].strings == ["Clerk"] && !lines[0]["roles_taken"].exists)
        #expect(lines[1]["roles_given"].strings == ["clerk"] && !lines[2]["roles_given"].exists)
        for line in lines {
            #expect(line["by"].string == "admin_api" && line["client_ip"].string == "127.0.0.1")
            #expect(line["request_id"].string?.isEmpty == false)
        }
        for text in ["Top-Secret-1", "admin-secret", secret] {
            #expect(!admin.fixture.gateway.everythingWritten.contains(text))
        }
        let path = admin.fixture.gateway.configuration.path
        #expect(try CommandLine.run("realms", "add", "Partners", "--config", path).ending == .exit(0))
        let line = JSONText(try admin.fixture.gateway.configuration.read("state/audit.log"))
        #expect(line["action"].string == "realms.add" && line["object"].string == "Partners")
        #expect(line["by"].string == "command_line" && line["user"].integer == Int(getuid()))
    }
}

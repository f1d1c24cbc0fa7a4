import Foundation
import Testing

/// Sessions of Mobile & Social in the data path: bonds, levels, time-outs, second steps, wiped devices.
@Suite struct SessionTests {
    @Test("DEC-06: a token of one webgate opens no other webgate's routes, nor routes without one")
    func wrongWebgate() throws {
        let fixture = try MobileFixture {
            $0["webgates"] = #"[{"name": "InventoryWG", "level": 2}, {"name": "OtherWG", "level": 1}]"#
            $0["issuers"] = nil
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/inventory/**", "upstream": "stub", "webgate": "InventoryWG"}"#,
                #"{"path": "/other", "upstream": "stub", "webgate": "OtherWG"}"#,
                #"{"path": "/bare", "upstream": "stub"}"#, #"{"path": "/open", "upstream": "stub", "public": true}"#,
            ])
        }
        let handle = try fixture.handle()
        let token = try fixture.accessToken(fixture.userToken(handle), handle)
        #expect(try fixture.call(token).status == 200)
        #expect(try fixture.call(token, "/open").status == 200)
        let other = try fixture.call(token, "/other")
        #expect(other.status == 401)
        #expect(other.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="OtherWG:1 /other""#) == true)
        let bare = try fixture.call(token, "/bare")
        #expect(bare.status == 401)
        #expect(bare.only("WWW-Authenticate") == #"Bearer realm="portcullis", error="invalid_token""#)
        #expect(
            fixture.gateway.upstream.requests("/other").isEmpty && fixture.gateway.upstream.requests("/bare").isEmpty)
    }

    @Test("OMS-07: a user token or a handle is not accepted as a bearer token")
    func otherTokens() throws {
        let fixture = try MobileFixture()
        let handle = try fixture.handle()
        for token in [handle, try fixture.userToken(handle)] {
            for scheme in ["Bearer", "OAM-Auth"] {
                #expect(try fixture.call(token, scheme: scheme).status == 401)
            }
        }
    }

    @Test("oam-wire 8.3 (2): the credential is everything after the scheme")
    func presentation() throws {
        let fixture = try MobileFixture()
        let handle = try fixture.handle()
        let token = try fixture.accessToken(fixture.userToken(handle), handle)
        for (value, status) in [
            ("OAM-Auth \(token)", 200), ("oam-auth \(token)", 200), ("OAM-Auth  \(token)", 200),
            ("OAM-Auth", 401), ("OAM-Auth a%2Fb%2B", 401), ("OAM-Auth \(token) x", 401), ("OAM-Auth\(token)", 401),
        ] {
            let response = try fixture.gateway.request(
                "GET", "/inventory/items", [Field(name: "Authorization", value: value)])
            #expect(response.status == status, "\(value.prefix(20))")
        }
    }

    @Test("CHAL-03, oam-wire 8.3 (4): a modified, foreign or expired context is refused")
    func contexts() throws {
        let fixture = try MobileFixture { $0["challenge"] = #"{"lifetime": "2s"}"# }
        let handle = try fixture.handle()
        let user = try fixture.userToken(handle)
        let context = try fixture.context()
        func status(_ context: String, _ resource: String) throws -> Int {
            try fixture.post(
                MobileFixture.mobile + "/access", MobileFixture.access(user, context, resource),
                proof: "DemoApp:\(handle)"
            ).status
        }
        let resource = "http://gw.example.com/inventory/items"
        let changed = context.replacing(#/encquery%3D(.)/#) { $0.1 == "A" ? "encquery%3DB" : "encquery%3DA" }
        #expect(try status(changed, resource) == 400)
        #expect(try status(context.replacing("InventoryWG", with: "HighWG"), resource) == 400)
        #expect(try status(context, "http://gw.example.com/inventory/other") == 400)
        #expect(try status(context, resource + "?") == 200)
        #expect(try status(context, resource) == 200, "it answers for its webgate as long as it lasts")
        let deadline = Deadline.usual
        while try status(context, resource) != 400 { try #require(!deadline.isPast) }
    }

    @Test("CHAL-06 SCH-03: a one-time code steps up for a route whose scheme requires more than its webgate")
    func stepUp() throws {
        let fixture = try MobileFixture(
            domain: #", "authentication": {"scheme": "Password", "otp": true, "stepUpOnly": true}"#
        ) {
            $0["authenticationSchemes"] =
                #"[{"name": "Password", "authenticationLevel": 2}, {"name": "Code", "authenticationLevel": 3}]"#
            $0["users"] = """
                [{"username": "joe", "password": "{PlainText}Welcome1", "roles": ["Manager"],
                  "otpSecret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}]
                """
            $0.addRoutes(
                #"{"path": "/safe", "upstream": "stub", "webgate": "InventoryWG", "authenticationScheme": "Code"}"#)
        }
        let handle = try fixture.handle()
        let low = try fixture.accessToken(fixture.userToken(handle), handle)
        let challenge = try fixture.call(low, "/safe")
        #expect(challenge.status == 401)
        #expect(challenge.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="InventoryWG:3 /safe""#) == true)
        let context = try fixture.context("/safe")
        let asked = try fixture.authenticate(handle, more: #","X-Idaas-Rest-Application-Context":"\#(context)""#)
        #expect(JSONText(asked.text)["type"].string == "OTP")
        let id = try #require(JSONText(asked.text)["challengeId"].string)
        let code = try Self.code()
        let stronger = try fixture.post(
            MobileFixture.mobile + "/authenticate", #"{"challengeId":"\#(id)","answer":"\#(code)"}"#,
            proof: "DemoApp:\(handle)")
        let token = try #require(JSONText(stronger.text)["userToken"].string, "\(stronger.text)")
        #expect(JSONText(stronger.text)["level"].integer == 3)
        let high = try fixture.accessToken(token, handle, target: "/safe")
        #expect(try fixture.call(high, "/safe").status == 200)
        #expect(try fixture.call(low).status == 200)
    }

    /// The code of the secret of RFC 6238 as another program makes it.
    private static func code() throws -> String {
        let script = """
            import hmac, struct, time
            mac = hmac.digest(b"12345678901234567890", struct.pack(">Q", int(time.time()) // 30), "sha1")
            at = mac[19] & 15
            print("%06d" % ((struct.unpack(">I", mac[at:at + 4])[0] & 0x7fffffff) % 1000000), end="")
            """
        return try Program.run("/usr/bin/python3", ["-c", script]).output
    }

    @Test("OMS-09: requests extend an idle session across processes; refused ones do not")
    func idle() throws {
        let fixture = try MobileFixture(application: #", "idleTimeout": 3"#) { $0["workers"] = "1" }
        let second = try GatewayProcess(fixture.gateway.gateway.configuration)
        let handle = try fixture.handle()
        let (used, unused) = (try fixture.userToken(handle), try fixture.userToken(handle, user: "ann"))
        let (busy, lazy) = (try fixture.accessToken(used, handle), try fixture.accessToken(unused, handle))
        #expect(try fixture.call(lazy).status == 200)
        let begin = ContinuousClock.now
        // Used at the second process alone; at the first, bob's session is refused and no use.
        while ContinuousClock.now - begin < .seconds(5) {
            #expect(try fixture.call(busy, at: second).status == 200)
            #expect(try fixture.call(lazy, "/payroll").status == 401)
        }
        #expect(try fixture.call(lazy).status == 401)
        #expect(try fixture.call(busy).status == 200, "the store has told of the uses elsewhere")
        let reasons = fixture.gateway.gateway.everythingWritten
        #expect(reasons.contains("session_idle"))
        try second.stop()
    }

    @Test("OMS-10: attempts are counted over the wire, and the lockout ends")
    func lockout() throws {
        let fixture = try MobileFixture()
        let handle = try fixture.handle()
        for left in [2, 1, 0] {
            let wrong = try fixture.authenticate(handle, password: "no")
            #expect(wrong.status == 401 && JSONText(wrong.text)["remainingAttempts"].integer == left)
        }
        let locked = try fixture.authenticate(handle)
        #expect(locked.status == 403 && JSONText(locked.text)["code"].string == "login_attempts_exceeded")
        let deadline = Deadline.usual
        while try fixture.authenticate(handle).status != 200 { try #require(!deadline.isPast) }
        // An administrator ends another one.
        for _ in 0..<3 { #expect(try fixture.authenticate(handle, user: "ann", password: "no").status == 401) }
        let unlock = "/admin/lockouts/MobileServiceDomain/DemoApp/ann"
        #expect(try fixture.gateway.admin("DELETE", unlock).status == 204)
        #expect(try fixture.authenticate(handle, user: "ann", password: "Welcome2").status == 200)
        #expect(try fixture.gateway.admin("DELETE", unlock).status == 404)
        // The same by a command, which finds the gateway by its configuration.
        for _ in 0..<3 { #expect(try fixture.authenticate(handle, user: "ann", password: "no").status == 401) }
        let (running, port) = (fixture.gateway.gateway, try fixture.gateway.gateway.port("admin"))
        let text = try running.configuration.read("gateway.json")
        try running.configuration.write(
            "gateway.json", text.replacing(#""port": 0, "adminToken""#, with: #""port": \#(port), "adminToken""#))
        let unlocked = try CommandLine.run(
            "users", "unlock", "ann", "--domain", MobileFixture.domain, "--application", "DemoApp", "--config",
            running.configuration.path)
        #expect(unlocked.ending == .exit(0), "\(unlocked.errors)")
        #expect(try fixture.authenticate(handle, user: "ann", password: "Welcome2").status == 200)
    }

    @Test("OMS-15 OMS-16: devices are listed and wiped; other sessions continue")
    func devices() throws {
        let fixture = try MobileFixture()
        let (handle, other) = (
            try fixture.handle(device: #"{"hardwareIds":{"udid":"1"}}"#),
            try fixture.handle(device: #"{"hardwareIds":{"udid":"2"}}"#)
        )
        let token = try fixture.accessToken(fixture.userToken(handle), handle)
        let others = try fixture.accessToken(fixture.userToken(other), other)
        let admin = ["--admin", "http://127.0.0.1:\(try fixture.gateway.gateway.port("admin"))"]
        func run(_ arguments: String...) throws -> String {
            let result = try Program.run(
                GatewayProcess.binary, arguments + admin, environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
            #expect(result.errors == "")
            return result.output
        }
        let list = try run("devices", "list").split(separator: "\n").map { JSONText(String($0)) }
        #expect(list.count == 2 && !list.contains { $0["user"].string != "joe" })
        let first = list.first { $0["deviceProfile"]["hardwareIds"]["udid"].string == "1" }
        // They are of no application, and the name of their register is not shown.
        let records = try run("tokens", "list")
        #expect(records.contains(#""kind":"registration""#) && !records.contains("u001f"))
        _ = try run("devices", "wipe", try #require(first?["id"].string))
        #expect(try fixture.call(token).status == 401)
        #expect(try fixture.call(others).status == 200)
        let told = try fixture.authenticate(handle)
        #expect(told.status == 403)
        #expect(JSONText(told.text)["code"].string == "device_wipe" && JSONText(told.text)["action"].string == "wipe")
        let refused = try fixture.post(
            MobileFixture.mobile + "/register",
            MobileFixture.login("CLIENTREGHANDLE", device: #"{"oracle:idm:claims:client:jailbroken":true}"#))
        #expect(refused.status == 403)
    }

    @Test("no secret is logged, and every grant has an audit line")
    func logs() throws {
        let fixture = try MobileFixture()
        let handle = try fixture.handle()
        let user = try fixture.userToken(handle)
        let token = try fixture.accessToken(user, handle)
        _ = try fixture.authenticate(handle, password: "Secret-guess")
        _ = try fixture.gateway.request(
            "GET",
            MobileFixture.mobile + "/tokens/info?X-Idaas-Rest-Subject-Value=\(user)&X-Idaas-Rest-Subject-Type=TOKEN",
            ["X-IDAAS-SERVICEDOMAIN: MobileServiceDomain"])
        try fixture.gateway.gateway.stop()
        let written = fixture.gateway.gateway.everythingWritten
        for secret in [handle, user, token, "Welcome1", "Secret-guess", "encquery"] {
            #expect(!written.contains(secret), "\(secret.prefix(10))")
        }
        for action in ["oic.register", "oic.authenticate", "oic.access"] { #expect(written.contains(action)) }
        #expect(written.contains("oic_wrong_password"))
    }
}

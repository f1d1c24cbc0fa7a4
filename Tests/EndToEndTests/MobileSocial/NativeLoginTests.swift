import Foundation
import Testing

/// AGT-06: a login of a native application goes on in its embedded web view.
@Suite struct NativeLoginTests {
    private static let form = "/oic_rest/mobilesso?serviceDomain=MobileServiceDomain"
    private static let encoded: Field = "Content-Type: application/x-www-form-urlencoded"

    private func fixture(isMobile: Bool = false) throws -> Fixture {
        try Fixture { settings in
            BrowserFixture.prepare(&settings)
            guard isMobile else { return }
            settings["serviceDomains"] = BrowserFixture.domains.replacing(
                #"{"MobileServiceDomain": {"#,
                with: #"{"MobileServiceDomain": {"mobile": true, "securityHandler": "oaam", "#)
        }
    }

    private func call(_ fixture: Fixture, _ service: String, _ body: String, proof: String? = nil) throws -> JSONText {
        var fields: [Field] = ["Content-Type: application/json", "X-IDAAS-SERVICEDOMAIN: MobileServiceDomain"]
        if let proof { fields.append(MobileFixture.uidPassword("DemoApp:\(proof)")) }
        let response = try fixture.request("POST", service, fields, body: body)
        #expect((200...201).contains(response.status), "\(response.status) \(response.text)")
        return JSONText(response.text)
    }

    /// A user token of a device that is not registered.
    private func token(_ fixture: Fixture) throws -> String {
        let answer = try call(fixture, MobileFixture.plain + "/authenticate", MobileFixture.login("USERTOKEN"))
        return try #require(answer["X-Idaas-Rest-Token-Value"].string)
    }

    private func send(_ jar: CookieJar, _ body: String, to form: String = form, _ more: [Field] = []) throws -> Response
    {
        try jar.send("POST", form, [Self.encoded] + more, body: body)
    }

    @Test("the user token is turned once into the cookie, and pages open without a form")
    func once() throws {
        let fixture = try fixture()
        let token = try token(fixture)
        let jar = CookieJar(fixture.gateway)
        let form = try #require(try jar.send("GET", "/mobileapp?a=b").only("Location"))
        let answer = try send(jar, "userToken=\(token)", to: form)
        #expect(answer.status == 303 && answer.only("Location") == "/mobileapp?a=b", "\(answer.status) \(answer.text)")
        #expect(try jar.send("GET", "/mobileapp?a=b").status == 200)
        #expect(try fixture.lastRequest("/mobileapp").head.only("X-Gateway-User") == "joe")
        // The level is that of the native login.
        #expect(try jar.send("GET", "/strong").status == 302)
        let other = CookieJar(fixture.gateway)
        let again = try send(other, "userToken=\(token)")
        #expect(again.status == 401 && other["portcullis-form"] == nil, "\(again.status) \(again.text)")
        #expect(!fixture.gateway.everythingWritten.contains(token))
    }

    @Test("of requests at once with one token, one gets a cookie")
    func race() async throws {
        let fixture = try fixture()
        let token = try token(fixture)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try send(CookieJar(fixture.gateway), "userToken=\(token)").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 401 } == 7, "\(statuses)")
    }

    @Test(
        "a page cannot log its visitors in as another user, and a wrong token gets nothing",
        arguments: [
            (["Origin: https://evil.example"], 403), (["Origin: null"], 403), (["Sec-Fetch-Site: cross-site"], 403),
            (["Sec-Fetch-Site: same-origin", "Origin: http://gw.example.com"], 403),
            (["Sec-Fetch-Site: none", "Origin: https://evil.example"], 403),
            (["Sec-Fetch-Site: cross-site", "Origin: null"], 403),
            (["Sec-Fetch-Site: none", "Origin: null"], 303), (["Sec-Fetch-Site: none"], 303), ([], 303),
        ] as [([String], Int)])
    func pages(_ fields: [String], status: Int) throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        let fields = fields.map { Field(stringLiteral: $0) }
        #expect(try send(jar, "userToken=\(token(fixture))", fields).status == status)
        #expect((jar["portcullis-form"] != nil) == (status == 303))
        #expect(try send(CookieJar(fixture.gateway), "userToken=x").status == 401)
        #expect(try send(CookieJar(fixture.gateway), "userToken=").status == 401)
    }

    @Test("a token of a registered device needs its handle, and the session ends with the device")
    func registered() throws {
        let fixture = try fixture(isMobile: true)
        let service = MobileFixture.mobile
        let handle = try #require(
            try call(fixture, service + "/register", MobileFixture.login("CLIENTREGHANDLE"))["X-Idaas-Rest-Token-Value"]
                .string)
        func token() throws -> String {
            let answer = try call(
                fixture, service + "/authenticate", MobileFixture.login("USERTOKEN"), proof: handle)
            return try #require(answer["X-Idaas-Rest-Token-Value"].string)
        }
        let held = try token()
        let jar = CookieJar(fixture.gateway)
        for proof in ["", "&registrationHandle=x", "&registrationHandle=\(held)"] {
            #expect(try send(jar, "userToken=\(held)\(proof)").status == 401, "\(proof)")
        }
        #expect(try send(jar, "userToken=\(held)&registrationHandle=\(handle)").status == 303)
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        let admin = ["--admin", "http://127.0.0.1:\(try fixture.gateway.port("admin"))"]
        func devices(_ arguments: String...) throws -> String {
            let result = try Program.run(
                GatewayProcess.binary, ["devices"] + arguments + admin,
                environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
            #expect(result.errors == "")
            return result.output
        }
        _ = try devices("wipe", try #require(JSONText(try devices("list"))["id"].string))
        #expect(try jar.send("GET", "/mobileapp").status == 302)
    }
}

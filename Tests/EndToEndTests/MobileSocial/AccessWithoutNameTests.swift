import Testing

/// `/access` without the name of the application: the user token names it already (oam-wire 3.5).
@Suite struct AccessWithoutNameTests {
    @Test(
        "the wire form works in a domain without registrations and without a default application")
    func wire() throws {
        let fixture = try MobileFixture()
        let login = MobileFixture.login("USERTOKEN", app: "loner")
        let reply = try fixture.post("/oic_rest/rest/Circle/authenticate", login, domain: "Circle")
        let token = try #require(JSONText(reply.text)["X-Idaas-Rest-Token-Value"].string, "\(reply.text)")
        let access = try fixture.post(
            "/oic_rest/rest/Circle/access",
            MobileFixture.access(token, fixture.context("/payroll"), "http://gw.example.com/payroll"), domain: "Circle")
        // The level of the session is what it comes to now.
        #expect(
            access.status == 401
                && fixture.gateway.gateway.waitForAccess { $0["reason"].string == "oic_level_too_low" } != nil)
        let items = try fixture.post(
            "/oic_rest/rest/Circle/access",
            MobileFixture.access(token, fixture.context(), "http://gw.example.com/inventory/items"), domain: "Circle")
        #expect(JSONText(items.text)["X-Idaas-Rest-Token-Value"].string != nil, "\(items.text)")
    }

    @Test("the short form accepts the token as member or bearer token; another name is refused")
    func short() throws {
        let fixture = try MobileFixture()
        let reply = try fixture.post(
            "/oic_rest/rest/Circle/authenticate",
            #"{"appName": "loner", "username": "joe", "password": "Welcome1"}"#, domain: nil)
        let token = try #require(JSONText(reply.text)["userToken"].string, "\(reply.text)")
        func access(_ more: String, _ fields: [Field] = []) throws -> Response {
            try fixture.post(
                "/oic_rest/rest/Circle/access", #"{"requestContext": "\#(fixture.context())"\#(more)}"#, domain: nil,
                fields)
        }
        for answer in [try access(#", "userToken": "\#(token)""#), try access("", [.bearer(token)])] {
            #expect(JSONText(answer.text)["webgate"].string == "InventoryWG", "\(answer.status) \(answer.text)")
        }
        #expect(try access(#", "userToken": "\#(token)", "appName": "agent""#).status == 401)
        #expect(try access(#", "userToken": "\#(token)", "clientId": "nobody""#).status == 404)
    }

    @Test("a registration handle without a name belongs to the session's application")
    func handle() throws {
        let fixture = try MobileFixture()
        let handle = try fixture.handle()
        let token = try fixture.userToken(handle)
        func access(_ handle: String?) throws -> Response {
            let proof = handle.map { #", "registrationHandle": "\#($0)""# } ?? ""
            return try fixture.post(
                "/oic_rest/rest/\(MobileFixture.domain)/access",
                #"{"requestContext": "\#(fixture.context())", "userToken": "\#(token)"\#(proof)}"#, domain: nil)
        }
        let answer = try access(handle)
        #expect(answer.status == 200, "\(answer.text)")
        // OMS-15: what was opened on a registered device is used there.
        #expect(try access(nil).status == 401)
        #expect(try access(fixture.handle("OtherApp")).status == 401)
    }
}

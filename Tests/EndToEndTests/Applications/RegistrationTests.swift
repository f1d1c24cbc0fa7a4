import Foundation
import Testing

/// Users that clients of an application make and change, through the running binary (AOM-17, AOM-26).
@Suite struct RegistrationTests {
    private static func form(_ user: String, _ password: String) -> String {
        AppFixture.form().replacing("username=testUser", with: "username=\(user)")
            .replacing("password=secret", with: "password=\(password)")
    }

    private func signUp(_ app: AppFixture, _ name: String) throws -> Response {
        try app.object(
            "POST", nil, #"{"@type":"Basics$User","userName":"\#(name)","password":"Welcome9"}"#,
            at: AppFixture.userPath)
    }

    @Test("AOM-26: sign-up creates a user who can log in, if the application allows it")
    func signsUp() throws {
        let app = try AppFixture(application: #", "allowSignUp": true"#)
        #expect(try app.post(Self.form("newcomer", "Welcome9")).status == 400)
        let made = try signUp(app, "newcomer")
        #expect(made.status == 201, "\(made.text)")
        #expect(made.only("Location") == AppFixture.userPath + "/newcomer")
        #expect(!made.text.contains("Welcome9"))
        #expect(try app.post(Self.form("newcomer", "Welcome9")).status == 200)
        #expect(try signUp(app, "newcomer").status == 409)
        // No administrator has made them; the log has their origin.
        let line = try #require(
            app.gateway.gateway.waitForEvent("audit") { $0["action"].string == "users.add" })
        #expect(line["by"].string == "application" && line["client_id"].string == "testApp")
        #expect(line["client_ip"].string == "127.0.0.1" && line["outcome"].string == "changed")
        #expect(line["request_id"].string == made.only("X-Request-Id"))
        #expect(try signUp(try AppFixture(), "newcomer").status == 403)
    }

    @Test("AOM-26: concurrent sign-ups take effect together")
    func signsUpTogether() throws {
        let app = try AppFixture(application: #", "allowSignUp": true"#)
        func body(_ number: Int) -> String {
            #"{"@type":"Basics$User","userName":"new\#(number)","password":"Welcome9"}"#
        }
        // All but the last byte of each is there before the first is whole.
        let clients = try (0..<6).map { number in
            let client = try app.gateway.connect()
            try client.send(
                "POST \(AppFixture.userPath) HTTP/1.1\r\nHost: gw\r\nX-Apiomat-Apikey: \(AppFixture.key)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body(number).utf8.count)\r\n\r\n"
                    + body(number).dropLast())
            return client
        }
        // Hashing keeps the queue of changes busy until all have come.
        let rows = "username,password\n" + (0..<60).map { "bulk\($0),Welcome1\n" }.joined()
        let bulk = try app.gateway.gateway.connect("admin")
        try bulk.send(
            "POST /admin/users HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin-secret\r\n"
                + "Content-Type: text/csv\r\nContent-Length: \(rows.utf8.count)\r\n\r\n\(rows)")
        for client in clients { try client.send("}") }
        for client in clients { #expect(try client.readResponse().status == 201) }
        #expect(try bulk.readResponse().status < 300)
        for number in 0..<6 { #expect(try app.post(Self.form("new\(number)", "Welcome9")).status == 200) }
        #expect(app.gateway.gateway.events("reloaded").count < 6)
    }

    @Test("AOM-17 Y14: a password change ends the old password and its tokens, and needs more than a token")
    func changesPassword() throws {
        let app = try AppFixture()
        let map = try app.wish()
        let change = #"{"@type":"Basics$User","password":"Welcome8"}"#
        #expect(try app.object("PUT", .bearer(map.access), change).status == 403)
        #expect(try app.status(map.access) == 200)
        #expect(try app.object("PUT", .basic("testUser:secret"), change).status == 200)
        let line = app.gateway.gateway.waitForEvent("audit") { $0["action"].string == "users.change" }
        #expect(line?["by"].string == "application" && line?["caller"].string == "testUser")
        #expect(line?["client_ip"].string == "127.0.0.1")
        #expect(try app.post(AppFixture.form()).status == 400)
        #expect(try app.status(map.access) == 401)
        #expect(try app.refresh(map.refresh).status == 400)
        let fresh = try TokenMap(app.post(Self.form("testUser", "Welcome8")))
        #expect(fresh.access != map.access)
        #expect(try app.status(fresh.access) == 200)
    }
}

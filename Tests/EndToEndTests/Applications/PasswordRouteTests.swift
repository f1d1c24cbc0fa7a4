import Foundation
import Testing

/// ApiOmat's traditional authentication: name and password of a user on each request, beside the API key of the application.
@Suite struct PasswordRouteTests {
    private static let on = #", "httpBasic": true"#

    private func call(
        _ app: AppFixture, _ target: String = "/notes/1", as pair: String = "testUser:secret",
        key: String? = AppFixture.key, method: String = "GET", backend: String? = nil
    ) throws -> Response {
        var fields = [Field.basic(pair)]
        if let key { fields.append(Field(name: "X-Apiomat-Apikey", value: key)) }
        if let backend { fields.append(Field(name: "Oracle-Mobile-Backend-ID", value: backend)) }
        return try app.gateway.request(method, target, fields, body: method == "POST" ? "{}" : nil)
    }

    @Test("a user authenticates by name, password and key; the upstream sees only the user")
    func login() throws {
        let app = try AppFixture(application: Self.on)
        #expect(try call(app).status == 200 && call(app, method: "POST").status == 200)
        let seen = try app.gateway.lastRequest("/notes/1")
        #expect(seen.only("X-Gateway-User") == "testUser" && seen.only("X-Gateway-Roles") == "Clerk")
        #expect(seen.only("Authorization") == nil)
        #expect(try call(app, "/clerks").status == 200)
        #expect(try call(app, "/managers").status == 403)
    }

    @Test("a wrong password, key, application or backend id is refused; tokens still work")
    func refusals() throws {
        let app = try AppFixture(application: Self.on)
        #expect(try call(app, as: "testUser:wrong").status == 401)
        #expect(try call(app, as: "nobody:secret").status == 401)
        #expect(try call(app, key: nil).status == 401)
        #expect(try call(app, key: AppFixture.otherKey).status == 403)
        #expect(try call(app, "/others", key: AppFixture.otherKey).status == 401, "it is off there")
        #expect(try call(app, as: "joe:Welcome1", backend: "mbe-inv-1").status == 403)
        #expect(app.gateway.upstream.requests.isEmpty)
        #expect(try app.status(app.wish().access) == 200)
    }

    @Test("the setting is off by default, and switched by a reload")
    func reload() throws {
        let app = try AppFixture()
        #expect(try call(app).status == 401)
        for application in [Self.on, ""] {
            try app.gateway.reload {
                AppFixture.put(into: &$0, application: application, facebook: app.facebook.url)
            }
            #expect(try call(app).status == (application.isEmpty ? 401 : 200))
        }
    }
}

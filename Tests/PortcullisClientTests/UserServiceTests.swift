import Bytes
import ClientStore
import Foundation
import Model
import Testing

@testable import PortcullisClient

/// The calls of the user profile service (UPS-01 to UPS-08).
@Suite struct UserServiceTests {
    private let fixture: Fixture
    private let client: GatewayClient
    private var gateway: ScriptedGateway { fixture.gateway }
    private static let base = "/oic_rest/rest/userprofile"

    init() async throws {
        fixture = try Fixture()
        var profile = Fixture.profile
        (profile.serviceDomain, profile.appName) = (nil, nil)
        client = fixture.client(profile)
        fixture.gateway.change {
            $0.answers["/oauth2/token"] = .json(200, #"{"access_token":"t","token_type":"Bearer","expires_in":600}"#)
        }
        try await client.authenticate(user: "joe", password: "p", method: .oauth)
        gateway.forget()
    }

    private func answer(_ path: String, _ body: String, status: Int = 200) {
        gateway.change { $0.answers[Self.base + path] = .json(status, body) }
    }

    /// What was sent: method, target and body.
    private func sent() throws -> (line: String, body: String) {
        let request = try #require(gateway.requests.last)
        #expect(request.value("authorization") == "Bearer t")
        let target = request.url.dropFirst(ScriptedGateway.base.count + Self.base.count)
        let body = (try? JSONNode.parse(request.body.span)).map { node -> String in
            var writer = JSONWriter()
            writer.value(node)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        return ("\(request.method) \(target)", body ?? "")
    }

    @Test func users() async throws {
        let manager = UserService(client: client)
        answer("/people/ann", #"{"id":"ann","mail":"ann@example.com"}"#)
        #expect(try await manager.user("ann", prefetch: ["manager", "groups"])["mail"]?.string == "ann@example.com")
        #expect(try sent().line == "GET /people/ann?prefetch=manager%2Cgroups")
        answer("/people", #"{"items":[{"id":"ann"},{"id":"bob"}],"total":2}"#)
        let found = try await manager.users(
            matching: [("title", "Dr.")], isSimple: true, page: ProfilePage(position: 1, size: 20))
        #expect(found.map { $0["id"]?.string } == ["ann", "bob"])
        #expect(try sent().line == "GET /people?filter%5Btitle%5D=Dr.&simple=true&pagePosition=1&pageSize=20")
        try await manager.create("zoe", password: "p", attributes: [("title", "Dr.")])
        #expect(try sent() == ("POST /people", #"{"id":"zoe","password":"p","title":"Dr."}"#))
        answer("/people/zoe", "", status: 204)
        try await manager.update("zoe", attributes: [("title", nil), ("mobile", "1")])
        #expect(try sent() == ("PATCH /people/zoe", #"{"title":null,"mobile":"1"}"#))
        try await manager.delete("zoe")
        #expect(try sent().line == "DELETE /people/zoe")
        answer("/people/ann/reports", #"[{"id":"bob"}]"#)
        #expect(try await manager.reports(of: "ann").map { $0["id"]?.string } == ["bob"])
        answer("/people/ann/manager", #"{"id":"joe"}"#)
        #expect(try await manager.manager(of: "ann")["id"]?.string == "joe")
        // A name is one segment, with any content.
        await #expect(throws: ClientError.self) { try await manager.user("../groups?x") }
        #expect(try sent().line == "GET /people/..%2Fgroups%3Fx")
    }

    @Test func roles() async throws {
        let manager = RoleService(client: client)
        answer("/groups/Clerk", #"{"name":"Clerk"}"#)
        #expect(try await manager.role("Clerk")["name"]?.string == "Clerk")
        answer("/groups", #"{"items":[{"name":"Clerk"}]}"#)
        #expect(try await manager.roles().count == 1)
        try await manager.create("Auditor", description: "looks")
        #expect(try sent() == ("POST /groups", #"{"name":"Auditor","description":"looks"}"#))
        try await manager.update("Clerk", description: nil)
        #expect(try sent() == ("PATCH /groups/Clerk", #"{"description":null}"#))
        answer("/groups/Clerk/members", #"{"items":[{"id":"ann"}]}"#)
        #expect(try await manager.members(of: "Clerk").map { $0["id"]?.string } == ["ann"])
        answer("/groups/Clerk/members/ann", "", status: 204)
        try await manager.add("ann", to: "Clerk")
        #expect(try sent().line == "PUT /groups/Clerk/members/ann")
        try await manager.remove("ann", from: "Clerk")
        #expect(try sent().line == "DELETE /groups/Clerk/members/ann")
        try await manager.delete("Clerk")
        #expect(try sent().line == "DELETE /groups/Clerk")
    }

    @Test("after a login at Access Manager the user token goes along, in header fields")
    func mobile() async throws {
        let other = try Fixture()
        let client = try await other.loggedIn()
        other.gateway.change { $0.answers[Self.base + "/people/joe"] = .json(200, #"{"id":"joe"}"#) }
        #expect(try await UserService(client: client).user("joe")["id"]?.string == "joe")
        let request = try #require(other.gateway.requests.last)
        #expect(request.value("authorization") == nil && request.value("x-idaas-rest-subject-type") == "TOKEN")
        #expect(request.value("x-idaas-rest-subject-value") == (try client.login().token))
    }

    @Test("a refusal is an error with what the gateway says")
    func refusals() async throws {
        answer("/people/ann", #"{"status":403,"title":"Forbidden","detail":"a required role is missing"}"#, status: 403)
        await #expect(throws: ClientError(.refused, "the server has refused (status 403): a required role is missing"))
        {
            try await UserService(client: client).user("ann")
        }
    }
}

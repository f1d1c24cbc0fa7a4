import Foundation
import Testing

/// `portcullis keys`, and the same through the admin listener: keys open routes, are kept as digests and go nowhere.
@Suite struct ConsumerKeyTests {
    @Test("a key is shown once, opens routes, is rotated and revoked", arguments: Administrator.Way.allCases)
    func keys(_ way: Administrator.Way) throws {
        let admin = try Administrator(way) {
            $0["consumers"] = #"[{"name": "billing", "roles": ["Clerk"]}]"#
            $0.addRoutes(
                #"{"path": "/invoices", "upstream": "stub", "loginRequired": false, "roles": ["Clerk"]}"#,
                #"{"path": "/users", "upstream": "stub", "roles": ["Clerk"]}"#)
        }
        let key = try admin.done("keys", "add", "billing", "--expires", "90d")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.hasPrefix("pck_") && key.utf8.count == 51)
        #expect(try admin.bearer(key, "GET", "/invoices") == 200)
        #expect(try !admin.fixture.lastRequest("/invoices").values("Authorization").contains { $0.contains(key) })
        #expect(try admin.fixture.request("GET", "/invoices", ["X-API-Key: \(key)"]).status == 200)
        #expect(try admin.fixture.lastRequest("/invoices").values("X-API-Key").isEmpty)
        #expect(try admin.fixture.request("GET", "/invoices", [.basic("\(key):")]).status == 200)
        #expect(try admin.fixture.lastRequest("/invoices").values("Authorization").isEmpty)
        // A consumer is no user.
        #expect(try admin.bearer(key, "GET", "/users") == 401)
        #expect(try admin.bearer(String(key.dropLast()), "GET", "/invoices") == 401)
        let next = try admin.done("keys", "rotate", "billing", "--overlap", "1h")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        for good in [key, next] { #expect(try admin.bearer(good, "GET", "/invoices") == 200) }
        let list = try admin.done("keys", "list")
        #expect(list.contains(#""id":"k1""#) && list.contains(#""id":"k2""#) && !list.contains("sha256"))
        try admin.done("keys", "revoke", "billing", "k1")
        #expect(try admin.bearer(key, "GET", "/invoices") == 401)
        #expect(try admin.bearer(next, "GET", "/invoices") == 200)
        let last = try admin.done("keys", "rotate", "billing", "--overlap", "0s")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try admin.bearer(next, "GET", "/invoices") == 401)
        #expect(try admin.bearer(last, "GET", "/invoices") == 200)
        #expect(try admin.refused("keys", "rotate", "biling").contains(#"did you mean "billing"?"#))
        #expect(try admin.refused("keys", "add", "billing", "--expires", "soon").contains("must be a duration"))
        #expect(try admin.refused("keys", "revoke", "billing", "k9").contains(#"no key "k9""#))
        let files = try admin.fixture.gateway.configuration.contents().values.joined()
        for secret in [key, next, last] {
            #expect(!files.contains(secret) && !admin.fixture.gateway.everythingWritten.contains(secret))
        }
        #expect(admin.fixture.gateway.everythingWritten.contains("api_key_unknown"))
    }
}

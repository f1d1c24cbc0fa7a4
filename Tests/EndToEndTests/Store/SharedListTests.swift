import Foundation
import TestSupport
import Testing

/// What a gateway shows and logs of something that another gateway has taken away, while its own files still have it.
@Suite struct SharedListTests {
    private static func nodes() throws -> SharedStoreNodes {
        try SharedStoreNodes {
            $0["consumers"] = #"[{"name": "billing", "roles": ["Clerk"]}, {"name": "stock", "roles": ["Clerk"]}]"#
            $0.addRoutes(#"{"path": "/invoices", "upstream": "stub", "loginRequired": false, "roles": ["Clerk"]}"#)
        }
    }

    /// A key that both gateways have.
    private static func key(_ nodes: SharedStoreNodes, _ consumer: String) throws -> String {
        let answer = try nodes.admin(0, "POST", "/admin/consumers/\(consumer)/keys", "{}")
        try nodes.copyFiles(from: 0, to: 1)
        return try #require(JSONText(answer.text).string, "\(answer.text)")
    }

    /// Reason and evidence of a refusal by the second gateway.
    private static func refusal(_ nodes: SharedStoreNodes, _ key: String) throws -> (reason: String?, detail: String?) {
        let answer = try nodes.gateways[1].request("GET", "/invoices", ["X-API-Key: \(key)"])
        #expect(answer.status == 401)
        let id = try #require(answer.only("X-Request-Id"))
        let line = try #require(nodes.gateways[1].waitForAccess { $0["request_id"].string == id })
        return (line["reason"].string, line["detail"].string)
    }

    @Test("a withdrawn key is marked in the list, and its refusal names key and consumer")
    func withdrawnKey() throws {
        let nodes = try Self.nodes()
        let (key, other) = (try Self.key(nodes, "billing"), try Self.key(nodes, "stock"))
        let id = try nodes.keyIDs("billing")[0]
        #expect(try !nodes.consumer(1, "billing")["keys"].list[0]["withdrawn"].exists)
        try nodes.admin(0, "DELETE", "/admin/consumers/billing/keys/\(id)")
        let isMarked = { try nodes.consumer(1, "billing")["keys"].list[0]["withdrawn"].bool == true }
        #expect(try nodes.isSoWithinASecond(isMarked))
        let told = try Self.refusal(nodes, key)
        #expect(told.reason == "api_key_unknown")
        #expect(told.detail == #"key "\#(id)" of consumer "billing"; another gateway has withdrawn it"#)
        let list = try Program.run(
            GatewayProcess.binary,
            ["keys", "list", "--admin", "http://127.0.0.1:\(try nodes.gateways[1].port("admin"))"],
            environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        #expect(list.output.contains(#""id":"\#(id)","#) && list.output.contains(#""withdrawn":true"#), "\(list)")
        let good = try nodes.consumer(1, "stock")
        #expect(!good["keys"].list[0]["withdrawn"].exists && good["enabled"].bool == true)
        #expect(try nodes.gateways[1].request("GET", "/invoices", ["X-API-Key: \(other)"]).status == 200)
        // The gateway that has taken it away does not know it any more.
        #expect(try nodes.keyIDs("billing").isEmpty)
    }

    @Test("a rotated key has the end that it has at the other gateway")
    func rotatedKey() throws {
        let nodes = try Self.nodes()
        let key = try Self.key(nodes, "billing")
        let id = try nodes.keyIDs("billing")[0]
        try nodes.admin(0, "POST", "/admin/consumers/billing/rotate", #"{"overlap": "0s"}"#)
        let end = try #require(nodes.consumer(0, "billing")["keys"].list[0]["expiresAt"].integer)
        let isShown = { try nodes.consumer(1, "billing")["keys"].list[0]["expiresAt"].integer == end }
        #expect(try nodes.isSoWithinASecond(isShown))
        let told = try Self.refusal(nodes, key)
        #expect(told.reason == "api_key_expired")
        let start = #"key "\#(id)" of consumer "billing"; another gateway has let it expire "#
        #expect(told.detail?.hasPrefix(start) == true, "\(told)")
    }

    @Test("consumers and users are shown without what they have lost")
    func others() throws {
        let nodes = try Self.nodes()
        let key = try Self.key(nodes, "billing")
        let text = try nodes.directories[0].read("gateway.json")
        func reload(_ old: String, _ new: String) throws {
            try #require(text.contains(old), "\(text)")
            try nodes.directories[0].write("gateway.json", text.replacing(old, with: new))
            try nodes.admin(0, "POST", "/admin/reload")
        }
        try reload(#""name": "billing", "roles": ["Clerk"]"#, #""name": "billing", "roles": []"#)
        #expect(try nodes.isSoWithinASecond { try nodes.consumer(1, "billing")["roles"].strings.isEmpty })
        #expect(try nodes.consumer(1, "stock")["roles"].strings == ["Clerk"])
        try reload(#""name": "billing", "#, #""name": "billing", "enabled": false, "#)
        #expect(try nodes.isSoWithinASecond { try nodes.consumer(1, "billing")["enabled"].bool == false })
        #expect(try Self.refusal(nodes, key).detail?.hasSuffix("another gateway has withdrawn the consumer") == true)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": false}"#)
        let isDisabled = { try JSONText(nodes.admin(1, "GET", "/admin/users/joe").text)["enabled"].bool == false }
        #expect(try nodes.isSoWithinASecond(isDisabled))
        let users = JSONText(try nodes.admin(1, "GET", "/admin/users").text).list
        #expect(users.filter { $0["enabled"].bool == false }.compactMap { $0["username"].string } == ["joe"])
    }
}

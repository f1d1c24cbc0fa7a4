import Configuration
import Declaration
import TestSupport
import Testing

/// What is small work for ten routes must not be hours for ten thousand: each check looks a route up, none compares it
/// with all the others. A minute of the processor is far beyond what these take, and far below what comparing would.
@Suite struct LargeConfigurationTests {
    private static let count = 10_000

    private func diagnostics(_ routes: [String], users: [String] = []) throws -> [String] {
        let files = [
            "routes.json": "[\(routes.joined(separator: ",\n"))]", "users.json": "[\(users.joined(separator: ",\n"))]",
        ]
        let directory = try ConfigurationDirectory(files)
        let began = ProcessorTime.ofThread
        let loaded = directory.load()
        #expect(ProcessorTime.ofThread - began < .seconds(60))
        return loaded.diagnostics.filter { $0.pointer != "/store/kind" }.map { "\($0.pointer): \($0.message)" }
    }

    @Test("routes with roles, and the one among them that a wider route opens")
    func routesByPath() throws {
        var routes = (0..<LargeConfigurationTests.count).map {
            #"{"path": "/api/r\#($0)/items", "upstream": "inventory", "roles": ["Manager"]}"#
        }
        #expect(try diagnostics(routes) == [])
        routes.append(#"{"path": "/api/r7/*", "upstream": "inventory"}"#)
        routes.append(#"{"path": "/api/r9/items", "name": "again", "upstream": "inventory"}"#)
        let found = try diagnostics(routes)
        #expect(
            found == [
                #"/routes/7/path: "/api/r7/Items" falls under "/api/r7/*" (/routes/10000), which requires less: no role"#,
                #"/routes/10001: unreachable route: /routes/9 takes every method of "/api/r9/items""#,
            ], "\(found)")
    }

    @Test("hosts with one path each, and the one that is there twice")
    func routesByHost() throws {
        var routes = (0..<LargeConfigurationTests.count).map {
            #"{"path": "/**", "name": "h\#($0)", "hosts": ["h\#($0).example.com"], "upstream": "inventory"}"#
        }
        #expect(try diagnostics(routes) == [])
        routes.append(
            #"{"path": "/**", "name": "two", "hosts": ["h3.example.com", "h8.example.com"], "upstream": "inventory"}"#)
        #expect(
            try diagnostics(routes) == [#"/routes/10000: unreachable route: /routes/3 takes every method of "/**""#])
    }

    @Test("users, and those among them who share a name or an address")
    func users() throws {
        var users = (0..<LargeConfigurationTests.count).map {
            #"{"username": "user\#($0)", "email": "user\#($0)@example.com", "roles": ["Clerk"]}"#
        }
        #expect(try diagnostics([], users: users) == [])
        users.append(#"{"username": "user5"}"#)
        users.append(#"{"username": "other", "email": "USER6@example.com", "roles": ["clerk"]}"#)
        #expect(
            try diagnostics([], users: users) == [
                #"/users/10000: duplicate user "user5" in realm "Default""#,
                #"/users/10001/email: user "user6" has this address already"#,
                #"/users/10001/roles/0: unknown role "clerk""#,
            ])
    }
}

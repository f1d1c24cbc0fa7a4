import Testing

/// GW-08: what the configuration says of an upstream's servers reaches the workers. How servers are chosen is tested
/// where it is decided.
@Suite(.tags(.engine)) struct ServerGroupTests {
    /// Port 9 of loopback is closed.
    private static let dead = "http://127.0.0.1:9"

    private func statuses(_ members: (String) -> String, requests: Int = 8) throws -> Set<Int> {
        let fixture = try Fixture { settings in
            let live = settings["upstreams"]?.matches(of: /http:[^"]+/).first.map { String($0.0) } ?? ""
            settings["upstreams"] = #"{"stub": {\#(members(live))}}"#
        }
        return Set(try (0..<requests).map { _ in try fixture.request("GET", "/open/x").status })
    }

    @Test("weight 0 excludes a server; without retries a dead one causes errors")
    func weights() throws {
        let none = #""retries": {"attempts": 0}"#
        let drained = try statuses { live in
            #""servers": [{"url": "\#(Self.dead)", "weight": 0}, {"url": "\#(live)"}], \#(none)"#
        }
        #expect(drained == [200])
        let both = try statuses { live in
            #""servers": [{"url": "\#(Self.dead)"}, {"url": "\#(live)"}], "balance": "round-robin", \#(none)"#
        }
        #expect(both == [200, 502])
    }

    @Test("a retry goes to another server")
    func retries() throws {
        let answers = try statuses { live in
            #""servers": [{"url": "\#(Self.dead)"}, {"url": "\#(live)"}], "balance": "round-robin""#
        }
        #expect(answers == [200])
    }

    @Test("a backup is used only if no other server is available")
    func backup() throws {
        let answers = try statuses { live in
            #""servers": [{"url": "\#(Self.dead)", "weight": 0}, {"url": "\#(live)", "backup": true}]"#
        }
        #expect(answers == [200])
    }
}

import Foundation
import TestSupport
import Testing

/// SIGHUP: the configuration is read again.
@Suite struct ReloadSignalTests {
    @Test("after many signals in a row, the last configuration is in force")
    func many() throws {
        let fixture = try Fixture()
        let fields = (0..<40).map { Field(name: "X-Field-\($0)", value: "1") }
        #expect(try fixture.request("GET", "/open/x", fields).status == 200)
        for most in Array(repeating: 100, count: 60) + [20] {
            var settings = FixtureSettings(upstream: fixture.upstream.url)
            settings["limits"] = #"{"maxHeaders": \#(most)}"#
            try fixture.gateway.configuration.write("gateway.json", settings.text)
            fixture.gateway.program.signal(SIGHUP)
        }
        let deadline = Deadline.usual
        while try fixture.request("GET", "/open/x", fields).status != 431, !deadline.isPast {}
        #expect(!deadline.isPast)
        #expect(fixture.gateway.events("reloaded").count + fixture.gateway.events("reload_failed").count <= 61)
        // The administration is not kept waiting by what has been asked for already.
        #expect(try fixture.admin("GET", "/admin/users/joe").status == 200)
    }
}

import Foundation
import TestSupport
import Testing

/// `watchFiles`: changed files are read without a signal.
@Suite struct FileWatchTests {
    private static let watching = ["watchFiles": "true"]

    private static func settings(_ upstream: String, _ sections: [String: String] = watching) -> FixtureSettings {
        var settings = FixtureSettings(upstream: upstream)
        for (name, text) in sections { settings[name] = text }
        return settings
    }

    private static func limit(_ most: Int) -> [String: String] {
        ["watchFiles": "true", "limits": #"{"maxHeaders": \#(most)}"#]
    }

    @Test("a written or replaced file is read")
    func changed() throws {
        let upstream = try StubUpstream()
        let directory = try ConfigurationDirectory(["gateway.json": Self.settings(upstream.url).text])
        let gateway = try GatewayProcess(directory)
        let text = Self.settings(upstream.url, Self.limit(50)).text
        try Data(text.utf8).write(to: URL(filePath: "\(directory.path)/gateway.json"))
        #expect(gateway.waitForEvent("reloaded")?["generation"].integer == 2)
        // Saved as most editors do: by renaming.
        try directory.write("gateway.json", Self.settings(upstream.url, Self.limit(5)).text)
        #expect(gateway.waitForEvent("reloaded", skipping: 1)?["generation"].integer == 3)
        let fields = (0..<10).map { Field(name: "X-Field-\($0)", value: "1") }
        #expect(try gateway.request("GET", "/open/x", fields).status == 431)
    }

    @Test("swapping a mounted config map causes one reload")
    func configMap() throws {
        let upstream = try StubUpstream()
        let directory = try ConfigurationDirectory([:])
        let files = FileManager.default
        func publish(_ version: String, _ settings: FixtureSettings) throws {
            try files.createDirectory(atPath: "\(directory.path)/..\(version)", withIntermediateDirectories: false)
            try directory.write("..\(version)/gateway.json", settings.text)
            try files.createSymbolicLink(atPath: "\(directory.path)/..data_tmp", withDestinationPath: "..\(version)")
            try #require(unsafe rename("\(directory.path)/..data_tmp", "\(directory.path)/..data") == 0)
        }
        try publish("1", Self.settings(upstream.url))
        try files.createSymbolicLink(
            atPath: "\(directory.path)/gateway.json", withDestinationPath: "..data/gateway.json")
        let gateway = try GatewayProcess(directory)
        try publish("2", Self.settings(upstream.url, Self.limit(50)))
        try files.removeItem(atPath: "\(directory.path)/..1")
        #expect(gateway.waitForEvent("reloaded")?["generation"].integer == 2)
        try publish("3", Self.settings(upstream.url, Self.limit(60)))
        #expect(gateway.waitForEvent("reloaded", skipping: 1)?["generation"].integer == 3)
    }

    @Test("an invalid file leaves the last valid configuration in force")
    func broken() throws {
        let upstream = try StubUpstream()
        let directory = try ConfigurationDirectory(["gateway.json": Self.settings(upstream.url).text])
        let gateway = try GatewayProcess(directory)
        try directory.write("gateway.json", "{")
        #expect(gateway.waitForEvent("reload_failed") != nil)
        #expect(try gateway.request("GET", "/open/x").status == 200)
        try directory.write("gateway.json", Self.settings(upstream.url, Self.limit(50)).text)
        #expect(gateway.waitForEvent("reloaded")?["generation"].integer == 2)
    }

    @Test("a directory that is replaced as a whole is read")
    func replaced() throws {
        let upstream = try StubUpstream()
        let place = try ConfigurationDirectory([:])
        let files = FileManager.default
        for (name, most) in [("old", 40), ("new", 50), ("newer", 60)] {
            try files.createDirectory(atPath: "\(place.path)/\(name)", withIntermediateDirectories: false)
            try place.write("\(name)/gateway.json", Self.settings(upstream.url, Self.limit(most)).text)
        }
        try files.createSymbolicLink(atPath: "\(place.path)/current", withDestinationPath: "old")
        let gateway = try GatewayProcess(ConfigurationDirectory("current", in: place))
        for (index, name) in ["new", "newer"].enumerated() {
            try files.createSymbolicLink(atPath: "\(place.path)/link", withDestinationPath: name)
            try #require(unsafe rename("\(place.path)/link", "\(place.path)/current") == 0)
            #expect(gateway.waitForEvent("reloaded", skipping: index)?["generation"].integer == index + 2)
        }
    }

    @Test("changes by the administration are read once")
    func own() throws {
        let fixture = try Fixture { $0["watchFiles"] = "true" }
        let changed = try fixture.admin("PATCH", "/admin/users/joe", body: #"{"enabled": false}"#)
        #expect((200..<300).contains(changed.status), "\(changed.text)")
        // Longer than the files are left to settle.
        let count = fixture.gateway.events("reloaded").count
        #expect(fixture.gateway.waitForEvent("reloaded", skipping: count, .after(.seconds(1))) == nil)
    }

    @Test("the gateway's own outputs in the directory are not read: log, store and new keys")
    func outputs() throws {
        let fixture = try Fixture {
            $0["watchFiles"] = "true"
            $0["log"] = #"{"access": "file:access.log"}"#
            $0["store"] = #"{"kind": "sqlite", "path": "tokens.sqlite"}"#
        }
        for _ in 0..<3 { _ = try fixture.token("joe") }
        #expect(fixture.gateway.waitForEvent("reloaded", .after(.seconds(1))) == nil)
        // It looks at its files all the while.
        try fixture.gateway.configuration.write("roles.json", "[")
        #expect(fixture.gateway.waitForEvent("reload_failed") != nil)
        #expect(fixture.gateway.events("reloaded").isEmpty)
    }

    @Test("without the setting a change waits for a signal; a reload can enable it")
    func off() throws {
        let upstream = try StubUpstream()
        let directory = try ConfigurationDirectory(["gateway.json": Self.settings(upstream.url, [:]).text])
        let gateway = try GatewayProcess(directory)
        try directory.write("gateway.json", Self.settings(upstream.url).text)
        gateway.program.signal(SIGHUP)
        #expect(gateway.waitForEvent("reloaded")?["generation"].integer == 2)
        try directory.write("gateway.json", Self.settings(upstream.url, Self.limit(50)).text)
        #expect(gateway.waitForEvent("reloaded", skipping: 1)?["generation"].integer == 3)
    }
}

import Declaration
import Foundation
import Model
import Testing

@testable import Configuration

/// Keys that the declaration marks "restart" are those that a reload reports, and no others are.
@Suite struct StartValueTests {
    /// A key, and two settings of `gateway.json` that differ in it.
    private static let changes: [(key: String, before: String, after: String)] = [
        ("workers", #""workers": 1"#, #""workers": 2"#),
        ("engine", #""engine": "epoll""#, #""engine": "auto""#),
        ("admin.address", #""admin": { "address": "127.0.0.1" }"#, #""admin": { "address": "127.0.0.2" }"#),
        ("admin.port", #""admin": { "port": 1 }"#, #""admin": { "port": 2 }"#),
        ("log.access", #""log": {}"#, #""log": { "access": "off" }"#),
        ("tokenCache.maxEntries", #""tokenCache": {}"#, #""tokenCache": { "maxEntries": 5 }"#),
        ("issuedTokenCache.maxEntries", #""workers": 0"#, #""issuedTokenCache": { "maxEntries": 5 }"#),
        ("issuedTokenCache.skew", #""workers": 0"#, #""issuedTokenCache": { "skew": "1s" }"#),
        ("issuedTokenCache.persist", #""workers": 0"#, #""issuedTokenCache": { "persist": true }"#),
        ("store.kind", #""store": { "kind": "memory" }"#, #""store": {}"#),
        ("store.path", #""store": { "kind": "sqlite", "path": "a" }"#, #""store": { "kind": "sqlite", "path": "b" }"#),
        ("store.timeout", #""store": {}"#, #""store": { "timeout": "2s" }"#),
        ("store.staleAfter", #""store": {}"#, #""store": { "staleAfter": "2s" }"#),
        ("store.whenUnavailable", #""store": {}"#, #""store": { "whenUnavailable": "allow" }"#),
        ("store.url", redis(), redis(#""url": "redis://127.0.0.2:6379/0""#)),
        ("store.username", redis(#""username": "a", "password": "p""#), redis(#""username": "b", "password": "p""#)),
        ("store.password", redis(#""password": "p""#), redis(#""password": "q""#)),
        ("store.tls", tls("1.2"), tls("1.3")),
        ("store.keyPrefix", redis(), redis(#""keyPrefix": "b:""#)),
        ("store.replicas", redis(), redis(#""replicas": 1"#)),
    ]

    private static func redis(_ more: String = "") -> String {
        let url = more.contains("url") ? "" : #", "url": "redis://127.0.0.1:6379/0""#
        return #""store": { "kind": "redis"\#(url)\#(more.isEmpty ? "" : ", \(more)") }"#
    }

    private static func tls(_ version: String) -> String {
        redis(#""url": "rediss://127.0.0.1:6379/0", "tls": { "minVersion": "\#(version)" }"#)
    }

    /// The keys that a reload reports after a change of one directory, between valid files `gateway.json` with these
    /// members.
    private static func reported(
        _ before: String, _ after: String, listeners: (before: String, after: String) = (listener, listener)
    ) throws -> [String] {
        let directory = try ConfigurationDirectory([:], on: [:])
        func values(_ members: String, _ listeners: String) throws -> StartValues {
            let head = #""baseUrl": "http://127.0.0.1:8080", "listeners": [\#(listeners)]"#
            try directory.write("gateway.json", "{ \(head), \(members) }")
            let loaded = directory.load()
            #expect(loaded.lines(.error) == [], "\(members)")
            return try #require(loaded.configuration).startValues
        }
        let former = try values(before, listeners.before)
        return try values(after, listeners.after).keys(differingFrom: former)
    }

    private static let listener = #"{ "address": "127.0.0.1", "port": 8080 }"#

    #if SQLite
        @Test(arguments: changes.indices)
        func changedKeyIsReported(_ index: Int) throws {
            let change = Self.changes[index]
            #expect(try Self.reported(change.before, change.after).contains(change.key))
            #expect(try Self.reported(change.before, change.before) == [])
        }
    #endif

    @Test func declaredKeysAreThese() throws {
        var declared: [String: KeyFacts.Change] = [:]
        func add(_ form: Form, at path: [String]) {
            switch form {
            case .object(let object):
                for key in object.keys {
                    if key.facts.change != .reload {
                        declared[(path + [key.name]).joined(separator: ".")] = key.facts.change
                    } else {
                        add(key.form, at: path + [key.name])
                    }
                }
            case .either(let forms): for form in forms { add(form, at: path) }
            case .named(_, let form), .described(_, let form): add(form, at: path)
            default: break
            }
        }
        add(SectionForm.gateway(Families.sections).form, at: [])
        #expect(declared.removeValue(forKey: "listeners") == .elementsAtRestart)
        #expect(Set(declared.values) == [.restart])
        #expect(Set(declared.keys) == Set(Self.changes.map(\.key)))
    }

    @Test(arguments: [
        (#"{ "address": "127.0.0.1", "port": 8081 }"#, true),
        (#"{ "address": "127.0.0.1", "port": 8080 }, { "address": "unix:a" }"#, true),
        (#"{ "socket": "a" }"#, true),
        (#"{ "address": "127.0.0.1", "port": 8080, "name": "a", "http2": true }"#, false),
    ])
    func listenersAreComparedBySocket(_ listeners: String, isReported: Bool) throws {
        let workers = #""workers": 1"#
        let keys = try Self.reported(workers, workers, listeners: (Self.listener, listeners))
        #expect(keys == (isReported ? ["listeners"] : []))
    }

    /// An operator who writes a default out has changed nothing.
    @Test(arguments: [
        #""workers": 0"#, #""engine": "auto""#, #""store": {}"#, #""log": { "access": "stdout" }"#,
        #""store": { "timeout": "1s", "staleAfter": "3s", "whenUnavailable": "deny" }"#,
        #""store": { "kind": "\#(StoreSection.usualKind.kind)" }"#, #""tokenCache": { "maxEntries": 16384 }"#,
    ])
    func writtenDefaultIsNotReported(_ members: String) throws {
        #expect(try Self.reported(#""rateLimits": {}"#, members) == [])
    }

    #if SQLite
        @Test func writtenPathOfStoreIsNotReported() throws {
            #expect(try Self.reported(#""store": {}"#, #""store": { "path": "state/tokens.sqlite" }"#) == [])
        }
    #endif

    @Test func modeOfSocketIsReported() throws {
        let workers = #""workers": 1"#
        let listeners = (#"{ "address": "unix:a" }"#, #"{ "address": "unix:a", "mode": "0600" }"#)
        #expect(try Self.reported(workers, workers, listeners: listeners) == ["listeners"])
    }

    /// The complete configuration without the keys above differs from a minimal one in all other keys.
    @Test func otherKeysAreNotReported() throws {
        let complete = ValidConfigurationTests.root.appending(path: "Tests/Fixtures/configuration/complete")
        let directory = FileManager.default.temporaryDirectory.appending(path: "portcullis-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.copyItem(at: complete, to: directory)
        let file = directory.appending(path: "gateway.json")
        let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        var gateway = try #require(root as? [String: Any])
        for key in Self.changes.map({ $0.key.split(separator: ".").map(String.init) }) {
            if key.count == 1 {
                gateway[key[0]] = nil
            } else if var section = gateway[key[0]] as? [String: Any] {
                section[key[1]] = nil
                gateway[key[0]] = section
            }
        }
        let listeners = try #require(gateway["listeners"] as? [[String: Any]])
        let sockets = listeners.map { listener in
            listener.filter { ["name", "address", "port", "mode", "socket"].contains($0.key) }
        }
        func values(_ gateway: [String: Any]) throws -> StartValues {
            try JSONSerialization.data(withJSONObject: gateway).write(to: file)
            let loaded = ConfigurationLoader.load(
                directory: directory.path(percentEncoded: false), environment: ["ADMIN_TOKEN": "adm"],
                production: false, extensions: Families.sections,
                endpoints: Families.endpoints)
            #expect(loaded.lines(.error) == [])
            return try #require(loaded.configuration).startValues
        }
        let rich = try values(gateway)
        let needed = [
            "baseUrl", "upstreams", "rateLimits", "policyServers", "tokenService", "secretPrograms", "environment",
        ]
        var poor = gateway.filter { needed.contains($0.key) }
        poor["listeners"] = sockets
        poor["admin"] = [String: Any]()
        #expect(try values(poor).keys(differingFrom: rich) == [])
    }
}

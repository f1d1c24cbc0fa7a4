import Bytes
import Crypto
import Foundation
import Identity
import JOSE
import Model
import TestSupport

/// Configurations by chance, whose credentials the test can make.
struct RandomRules {
    /// What all of them share: the addresses of upstreams and the keys of issuers.
    struct World: Sendable {
        static let issuers = ["one", "two"]
        static let users = ["ann", "bob", "cid"]
        static let consumers = ["k1", "k2"]
        static let clients = ["c1", "c2"]
        static let roles = ["a", "b", "c", "d"]

        let upstreams: [String: String]
        let signers: [String: JWTSigner]
        let keys: [String: String]

        init(upstreams: [String: String]) {
            self.upstreams = upstreams
            signers = Dictionary(
                uniqueKeysWithValues: World.issuers.map { ($0, JWTSigner(key: .generate(.es256), keyID: $0)) })
            keys = Dictionary(uniqueKeysWithValues: World.consumers.map { ($0, APIKey.make()) })
        }
    }

    private(set) var routes: [[String: String]] = []
    private var users: [String: String] = [:]
    private var consumers: [String: String] = [:]
    private var clients: [String: String] = [:]
    private var issuers: [String: String] = [:]
    private var origins = "disallow"
    private var number = 0
    private let world: World

    init(_ world: World, using random: inout SeededRandom) {
        self.world = world
        for _ in 0..<Int.random(in: 2...6, using: &random) { addRoute(using: &random) }
        for name in World.users { users[name] = Self.user(using: &random) }
        for name in World.consumers { consumers[name] = Self.consumer(using: &random) }
        for name in World.clients { clients[name] = Self.client(using: &random) }
        for name in World.issuers { issuers[name] = Self.issuer(using: &random) }
    }

    // MARK: Changes

    /// The same with one change.
    func changed(using random: inout SeededRandom) -> RandomRules {
        var rules = self
        switch Int.random(in: 0..<12, using: &random) {
        case 0: rules.addRoute(using: &random)
        case 1 where rules.routes.count > 1: rules.routes.remove(at: Int.random(in: 0..<routes.count, using: &random))
        case 2: rules.users[World.users.randomElement(using: &random)!] = Self.user(using: &random)
        case 3: rules.consumers[World.consumers.randomElement(using: &random)!] = Self.consumer(using: &random)
        case 4: rules.clients[World.clients.randomElement(using: &random)!] = Self.client(using: &random)
        case 5: rules.issuers[World.issuers.randomElement(using: &random)!] = Self.issuer(using: &random)
        case 6: rules.origins = Self.origins(using: &random)
        default:
            let place = Int.random(in: 0..<routes.count, using: &random)
            let fresh = Self.access(using: &random)
            let keys = Set(fresh.keys).union(routes[place].keys).subtracting(Self.placeKeys)
            if fresh["public"] != nil || routes[place]["public"] != nil || Int.random(in: 0..<4, using: &random) == 0 {
                rules.routes[place] = fresh.merging(routes[place].filter { Self.placeKeys.contains($0.key) }) { $1 }
            } else if let key = keys.sorted().randomElement(using: &random) {
                rules.routes[place][key] = fresh[key] ?? (key == "upstream" ? routes[place][key] : nil)
            }
        }
        return rules
    }

    private mutating func addRoute(using random: inout SeededRandom) {
        var route = Self.access(using: &random)
        route["path"] = Self.text(Self.patterns.randomElement(using: &random)!)
        if Bool.random(using: &random), Bool.random(using: &random) {
            route["hosts"] = [#"["x.example"]"#, #"["*.example"]"#].randomElement(using: &random)!
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            route["headers"] = [#"{"X-Kind": "v"}"#, #"{"X-Kind": true}"#].randomElement(using: &random)!
        }
        if Int.random(in: 0..<8, using: &random) == 0 { route["query"] = #"{"q": "1"}"# }
        let place = Self.conditionKeys.map { route[$0] ?? "" }
        guard !routes.contains(where: { other in Self.conditionKeys.map { other[$0] ?? "" } == place }) else { return }
        number += 1
        route["name"] = Self.text("r\(number)")
        routes.append(route)
    }

    private static let conditionKeys = ["path", "hosts", "headers", "query"]
    private static let placeKeys = Set(conditionKeys + ["name"])

    private static let patterns = [
        "/a", "/a/**", "/a/*", "/a/b", "/a/{id}/c", "/a/b/", "/b/**", "/b/*/c", "/b/x", "/**", "/c/*/**",
    ]

    // MARK: Parts

    private static func some(_ names: [String], using random: inout SeededRandom) -> [String] {
        names.filter { _ in Bool.random(using: &random) }
    }

    private static func list(_ names: [String]) -> String { "[\(names.map(text).joined(separator: ", "))]" }

    private static func text(_ name: String) -> String { "\"\(name)\"" }

    private static func names(_ all: [String], excluding: Bool, using random: inout SeededRandom) -> String {
        var parts: [String] = []
        if Bool.random(using: &random) {
            parts.append("\"any\": \(list([all[0]] + some(Array(all.dropFirst()), using: &random)))")
        }
        if Bool.random(using: &random) { parts.append("\"all\": \(list([all[1]]))") }
        if excluding, Bool.random(using: &random) { parts.append("\"none\": \(list([all[2]]))") }
        return parts.isEmpty ? list([all[0]]) : "{\(parts.joined(separator: ", "))}"
    }

    /// What a route asks for.
    private static func access(using random: inout SeededRandom) -> [String: String] {
        var route = ["upstream": text(["u1", "u2"].randomElement(using: &random)!)]
        func may(_ odds: Int) -> Bool { Int.random(in: 0..<odds, using: &random) == 0 }
        if may(6) {
            route["public"] = "true"
            return route
        }
        if may(2) { route["roles"] = names(World.roles, excluding: true, using: &random) }
        if may(3) { route["scopes"] = names(["s", "t", "u"], excluding: false, using: &random) }
        if may(4) { route["issuers"] = list([["one", "two", "local"].randomElement(using: &random)!]) }
        if may(5) { route["audience"] = text(["api", "other"].randomElement(using: &random)!) }
        if may(4) {
            route["claims"] = [
                #"{"dept": "x"}"#, #"{"dept": {"in": ["x", "y"]}}"#, #"{"tags": {"contains": "t1"}}"#,
                #"{"dept": {"exists": true}}"#, #"{"email": {"domain": ["e.example"]}}"#,
                #"{"dept": {"exists": false}}"#,
                #"{"roles": {"contains": "a"}}"#,
            ].randomElement(using: &random)!
        }
        if may(5) { route["addresses"] = #"{"\#(may(2) ? "allow" : "deny")": ["127.0.0.0/8"]}"# }
        if may(3) { route["loginRequired"] = "false" }
        if may(6) { route["acr"] = list(["gold"]) }
        if may(6) { route["maxAge"] = text("10m") }
        if may(6) { route["allowOrigin"] = text(origins(using: &random)) }
        if may(4) { route["requestHeaders"] = #"{"set": {"X-Dept": "${claim.dept}"}}"# }
        if may(4) {
            route["authenticators"] = [
                #"["bearer", "basic"]"#, #"["bearer:one", "apiKey"]"#, #"["apiKey"]"#,
                #"["bearer", "apiKey", "basic"]"#,
            ].randomElement(using: &random)!
        }
        if may(3) {
            route["methods"] = [
                #"{"GET": {}, "POST": {"roles": ["b"]}}"#, #"{"GET": {"roles": ["c"]}}"#,
                #"{"GET": {}, "DELETE": {"scopes": ["t"]}, "PURGE": {"public": true}}"#,
            ].randomElement(using: &random)!
        }
        if may(5) { route["clients"] = list([World.clients.randomElement(using: &random)!]) }
        return route
    }

    private static func user(using random: inout SeededRandom) -> String {
        #""roles": \#(list(some(World.roles, using: &random))), "enabled": \#(Int.random(in: 0..<6, using: &random) > 0)"#
    }

    private static func consumer(using random: inout SeededRandom) -> String { user(using: &random) }

    private static func client(using random: inout SeededRandom) -> String {
        #""roles": \#(list(some(World.roles, using: &random))), "scopes": \#(list(some(["s", "t"], using: &random) + ["u"]))"#
    }

    private static func issuer(using random: inout SeededRandom) -> String {
        var parts = [#""audience": \#(list(["api"] + some(["other"], using: &random)))"#]
        parts.append(#""roleAttributes": \#(list(Bool.random(using: &random) ? ["roles"] : ["roles", "groups"]))"#)
        if Bool.random(using: &random) {
            parts.append(
                #""roleMappings": [{"tokenRole": "m", "mappedRoles": \#(list(some(World.roles, using: &random)))}]"#)
        }
        if Bool.random(using: &random) { parts.append(#""defaultRoles": \#(list(some(World.roles, using: &random)))"#) }
        parts.append(#""virtualUserEnabled": \#(Bool.random(using: &random))"#)
        return parts.joined(separator: ", ")
    }

    private static func origins(using random: inout SeededRandom) -> String {
        ["disallow", "https://p.example", "https://*.example"].randomElement(using: &random)!
    }

    /// The hosts that routes name.
    var hosts: [String] {
        ["x.example", "*.example"].filter { host in routes.contains { $0["hosts"]?.contains("\"\(host)\"") == true } }
    }

    /// Methods beside the usual ones that rules name.
    var methods: [String] { routes.contains { $0["methods"]?.contains("PURGE") == true } ? ["PURGE"] : [] }

    // MARK: Files

    var files: [String: String] {
        let digests = world.keys.mapValues { key in
            let digest = APIKey.digest(of: key.utf8.span) ?? []
            return "sha256:" + String(decoding: Base64.encode(digest.span, .url, padding: false), as: UTF8.self)
        }
        let settings: [String: String] = [
            "baseUrl": #""http://gw.example.com""#, "workers": "1", "trustedProxies": #"["127.0.0.1"]"#,
            "listeners": #"[{"name": "public", "address": "127.0.0.1", "port": 0}]"#,
            "upstreams":
                "{\(world.upstreams.sorted { $0.key < $1.key }.map { #""\#($0)": {"url": "\#($1)"}"# }.joined(separator: ", "))}",
            "tokenService": #"{"scopes": ["s", "t", "u"]}"#, "roles": Self.list(World.roles),
            "policies": #"{"Security_AllowOrigin": "\#(origins)"}"#,
            "users": Self.entries(users) { #""username": "\#($0)", "password": "{PlainText}pw-\#($0)""# },
            "consumers": Self.entries(consumers) {
                #""name": "\#($0)", "keys": [{"id": "1", "digest": "\#(digests[$0]!)"}]"#
            },
            "clients": Self.entries(clients) {
                #""clientId": "\#($0)", "clientSecret": "secret-\#($0)", "grantTypes": ["client_credentials", "password"]"#
            },
            "trustedIssuers": Self.entries(issuers) {
                #""name": "\#($0)", "issuer": "https://\#($0).example", "jwksFile": "\#($0).jwks""#
            },
            "routes":
                "[\(routes.map { route in "{\(route.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}" }.joined(separator: ",\n"))]",
        ]
        let text = settings.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ",\n")
        var files = ["gateway.json": "{\(text)}"]
        for (name, signer) in world.signers {
            let keys = [signer.publishedKey].compactMap(\.self)
            files["\(name).jwks"] = String(decoding: KeySet(keys: keys).jwks(), as: UTF8.self)
        }
        return files
    }

    private static func entries(_ entries: [String: String], _ more: (String) -> String) -> String {
        "[\(entries.sorted { $0.key < $1.key }.map { "{\(more($0)), \($1)}" }.joined(separator: ", "))]"
    }
}

import Bytes
import Configuration
import Model
import Testing

@Suite("Variables of the environment in the configuration")
struct EnvironmentExpansionTests {
    private func load(
        _ gateway: String = "", routes: String? = nil, environment: [String: String] = [:]
    ) throws -> LoadedConfiguration {
        let text = #"""
            {"baseUrl": "https://gw.example.com", "listeners": [{"address": "127.0.0.1", "port": "${PORT:-8443}", "http2": "${CLEAR:-true}"}],
             "upstreams": {"api": {"url": "http://${API_HOST:-127.0.0.1}:9000"}}
            """# + gateway + "}"
        var files = ["gateway.json": text]
        files["routes.json"] = routes
        return try ConfigurationDirectory(files).load(environment)
    }

    @Test("a variable replaces its name in strings, and stands for a number or a truth value")
    func values() throws {
        let loaded = try load()
        let standard = try #require(loaded.configuration, "\(loaded.diagnostics)")
        #expect("\(standard.listeners[0].place)".contains("8443") && standard.listeners[0].rules.http2)
        #expect(standard.upstreams[0].servers.map(\.host) == ["127.0.0.1"])
        let set = try #require(
            load("", environment: ["PORT": "81", "API_HOST": "api.internal", "CLEAR": "false"]).configuration)
        #expect("\(set.listeners[0].place)".contains("81") && !set.listeners[0].rules.http2)
        #expect(set.upstreams[0].servers.map(\.host) == ["api.internal"])
        // An empty variable has the default.
        #expect(
            try "\(load("", environment: ["PORT": ""]).configuration?.listeners[0].place, default: "")".contains("8443")
        )
    }

    @Test("a missing variable is an error at its place, and its value is in no message")
    func missing() throws {
        let loaded = try load(#", "additionalBaseUrls": ["https://${OTHER}"]"#, environment: ["PORT": "s3cret"])
        #expect(
            loaded.lines(.error) == [
                #"gateway.json:1: error: /listeners/0/port: wrong type (expected a port number from 0 to 65535, found "${PORT:-8443}")"#,
                #"gateway.json:2: error: /additionalBaseUrls/0: the environment variable OTHER is not set (expected a variable that is set, or "${OTHER:-default}")"#,
            ])
    }

    @Test("other files may use the variables that gateway.json names, and no others")
    func allowed() throws {
        func routes(_ name: String) -> String { #"[{"path": "/a", "upstream": "\#(name)"}]"# }
        let environment = ["API": "api", "SHOP_API": "api", "HOME": "/root"]
        let list = #", "environment": ["API", "SHOP_*"]"#
        for name in ["${API}", "${SHOP_API}"] {
            #expect(
                try load(list, routes: routes(name), environment: environment).configuration?.routes[0].upstream
                    == "api")
        }
        for name in ["${HOME}", "${NONE:-api}", "${API_KEY:-api}"] {
            let loaded = try load(list, routes: routes(name), environment: environment)
            #expect(loaded.lines(.error)[0].contains("this file may not use the environment variable"), "\(name)")
            #expect(!loaded.lines(.error).joined().contains("/root"))
        }
        #expect(try load("", routes: routes("${API}"), environment: environment).configuration == nil)
        let field = #"[{"path": "/a", "upstream": "api", "requestHeaders": {"set": {"X-A": "${env.HOME}"}}}]"#
        #expect(try load(list, routes: field, environment: environment).configuration == nil)
        #expect(try load(#", "environment": ["HOME"]"#, routes: field, environment: environment).configuration != nil)
    }

    @Test("other placeholders and escaped names stay as they are")
    func untouched() throws {
        let field =
            #", "routes": [{"path": "/a", "upstream": "api", "requestHeaders": {"set": {"X-A": "${user} $${user} $$${USER}"}}}]"#
        let rules = try load(field, environment: ["USER": "x", "user": "y"]).configuration?.routes[0].options
            .requestFields
        #expect(rules?.set.first?.value.pieces == [.user, .text(" ${user} ${USER}")])
    }

    @Test("a secret from a variable is not one that the configuration has")
    func secrets() throws {
        let text = #"""
            {"baseUrl": "https://gw.example.com", "listeners": [{"address": "127.0.0.1", "port": 1}],
             "admin": {"adminToken": "TOKEN"}}
            """#
        func warnings(_ secret: String) throws -> [String] {
            let directory = try ConfigurationDirectory(["gateway.json": text.replacing("TOKEN", with: secret)])
            let loaded = directory.load(["ADMIN_TOKEN": "0123456789abcdef0123456789abcdef"], production: true)
            return loaded.lines(.warning).filter { $0.contains("adminToken") }
        }
        #expect(try !warnings("0123456789abcdef0123456789abcdef").isEmpty)
        #expect(try warnings("${ADMIN_TOKEN}").isEmpty)
    }

    @Test("no message shows a value, at any place")
    func hidden() throws {
        let text = #", "routes": [{"path": "/a", "upstream": "${B}", "roles": ["${A}"]}]"#
        let lines = try load(text, environment: ["A": "s3cret", "B": "t0ken"]).lines(.error)
        #expect(lines.count == 2 && lines[1].contains(#"unknown upstream "${B}""#), "\(lines)")
        #expect(lines[0].contains(#"unknown role "${A}""#), "\(lines)")
    }

    @Test(
        "malformed variables, and values that are no UTF-8, are errors",
        arguments: ["${W", "${Wrong}", "a ${_:}", "${A-b}"])
    func malformed(_ text: String) throws {
        let lines = try load(#", "additionalBaseUrls": ["\#(text)"]"#).lines(.error)
        #expect(lines.count == 1 && lines[0].contains("is not a variable"), "\(lines)")
    }

    @Test("the value of a variable is no reference to another secret")
    func references() throws {
        let text = #"""
            {"baseUrl": "https://gw.example.com", "listeners": [{"address": "127.0.0.1", "port": 1}],
             "backends": [{"name": "b", "version": "1", "mobileBackendId": "b", "clientId": "c", "clientSecret": "SECRET"}]}
            """#
        func secret(_ written: String) throws -> Secret? {
            let directory = try ConfigurationDirectory(
                ["gateway.json": text.replacing("SECRET", with: written)], on: [:])
            let environment = ["A": "file:/etc/hostname", "B": "env:A", "C": "A"]
            return directory.load(environment).configuration?.clients[0].client.clientSecret
        }
        #expect(try secret("${A}")?.value == "file:/etc/hostname")
        #expect(try secret("${B}")?.value == "env:A")
        #expect(try secret("env:${C}")?.value == "file:/etc/hostname")
    }
}

@Suite("Edits of files with variables")
struct VariableEditTests {
    private func section(_ text: String) throws -> SectionText {
        try SectionText(file: "users.json", bytes: Array(text.utf8), section: "users")
    }

    @Test(
        "what is written as data is read as the same data",
        arguments: ["${TITLE}", "$${TITLE}", "$$${TITLE}", "a${A}b${", "${A", "${user}", "$", "${_"])
    func data(_ value: String) throws {
        var text = try section("[]")
        text.append([.object([("username", .text(value))])])
        let directory = try ConfigurationDirectory([
            "gateway.json": #"""
            {"baseUrl": "https://gw.example.com", "listeners": [{"address": "127.0.0.1", "port": 1}], "environment": ["TITLE", "A*", "_*"]}
            """#, "users.json": String(decoding: text.bytes, as: UTF8.self),
        ])
        let loaded = directory.load(["TITLE": "leaked", "A": "leaked", "_": "leaked"])
        #expect(loaded.draft?.users.map(\.username) == [value], "\(loaded.diagnostics)")
    }

    @Test("an edit in the place of a variable is seen, and one beside it is not")
    func places() throws {
        let users = #"[{"username": "joe", "roles": ["${ROLE}"], "email": "$${x}"}]"#
        func replaced(_ edit: (inout SectionText) -> Void) throws -> String? {
            var text = try section(users)
            edit(&text)
            return text.replacedVariable
        }
        #expect(try replaced { $0.set("roles", of: [.element(0)], to: .texts(["Clerk"])) } == "0/roles")
        #expect(try replaced { $0.replace([.element(0)], with: .object([])) } == "0")
        #expect(try replaced { $0.set("email", of: [.element(0)], to: .text("x")) } == nil)
        #expect(try replaced { $0.append([.text("x")]) } == nil)
        #expect(try replaced { $0.remove([.element(0)]) } == nil)
    }
}

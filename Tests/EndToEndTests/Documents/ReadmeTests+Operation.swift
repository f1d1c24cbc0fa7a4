import Foundation
import Testing

/// The pages about operation in deploy/docs, and those about decisions for other proxies: the settings that they show are
/// valid, and the metrics that they name exist.
extension ReadmeTests {
    static let operationPaths = texts.map(\.path).filter {
        $0.hasPrefix("deploy/docs/") || $0.hasPrefix("config/guides/forward-auth")
    }

    /// A block of JSON in one of the pages: members of `gateway.json`, a listener, or routes.
    struct ShownSettings: Sendable, CustomTestStringConvertible {
        let path: String
        let text: String

        var testDescription: String { "\(path): \(text.prefix(40))" }

        /// The configuration with these settings: contents of `gateway.json` and `routes.json`.
        var files: (gateway: String, routes: String) {
            let (listener, routes) = (
                #"{ "address": "127.0.0.1", "port": 8080 }"#, #"[{ "path": "/**", "upstream": "api" }]"#
            )
            let members: String
            switch text.first {
            case "[": return (Self.gateway(#""listeners": [\#(listener)]"#), text)
            case "{": members = #""listeners": [\#(listener), \#(text)]"#
            default: members = text.contains(#""listeners""#) ? text : #""listeners": [\#(listener)], \#(text)"#
            }
            return (Self.gateway(members), routes)
        }

        private static func gateway(_ members: String) -> String {
            #"{ "baseUrl": "http://localhost:8080", "upstreams": { "api": { "url": "http://127.0.0.1:9000" } }, \#(members) }"#
                .replacing("/var/lib/portcullis/", with: "state/")
        }
    }

    static let shownSettings = operationPaths.flatMap { path in
        Vectors.text(path).matches(of: /(?sm)^ *```json\n(.*?)^ *```/).map {
            ShownSettings(path: path, text: $0.1.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    @Test("the settings that the pages about operation show are valid", arguments: shownSettings)
    func operationSettings(_ shown: ShownSettings) throws {
        let directory = try ConfigurationDirectory()
        try directory.write("gateway.json", shown.files.gateway)
        try directory.write("routes.json", shown.files.routes)
        let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        let check = try CommandLine.run(
            "check", directory.path, environment: ["STORE_KEY": key, "REDIS_PASSWORD": "of-the-test"])
        #expect(check.ending == .exit(0), "\(check.errors)")
    }

    @Test("the pages about operation name metrics that exist")
    func operationMetrics() throws {
        let fixture = try Fixture()
        let page = try fixture.gateway.request("GET", "/metrics", listener: "admin").text
        let existing = Set(
            page.matches(of: /# TYPE (\w+) (\w+)/).flatMap { type in
                (type.2 == "histogram" ? ["", "_bucket", "_sum", "_count"] : [""]).map { "\(type.1)\($0)" }
            })
        var named: Set<String> = []
        for path in Self.operationPaths {
            named.formUnion(Vectors.text(path).matches(of: /\b(?:portcullis|process)_[a-z0-9_]+/).map { String($0.0) })
        }
        #expect(named.count > 20)
        #expect(named.subtracting(existing) == [])
    }

    @Test("the index and the pages about operation are short")
    func operationLengths() {
        for (path, limit) in [("deploy/README.md", 120)] + Self.operationPaths.map({ ($0, 250) }) {
            #expect(
                Vectors.text(path).split(separator: "\n", omittingEmptySubsequences: false).count <= limit, "\(path)")
        }
    }
}

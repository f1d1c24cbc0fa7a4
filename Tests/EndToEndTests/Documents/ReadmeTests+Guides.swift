import Foundation
import Testing

/// The guides in config/guides: the configurations that they show are valid, and require the login that they describe (GW-05).
extension ReadmeTests {
    /// A guide, and the answer to a request without a credential.
    struct Guide: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether roles, client and user are made before.
        var isPrepared = false
        var fields: [Field] = []
        var status = 401
        /// The beginning of a field of the answer.
        var answer = (name: "WWW-Authenticate", start: "Bearer ")

        var testDescription: String { name }

        var path: String { "config/guides/\(name).md" }
    }

    static let guides = [
        Guide(name: "first-steps"),
        Guide(name: "identity-provider"),
        Guide(name: "own-users", isPrepared: true),
        Guide(
            name: "mobile-social", isPrepared: true, fields: ["User-Agent: OIC-Agent"],
            answer: ("WWW-Authenticate", #"OAM-Auth realm="ShopWG:2 /api/items", request-ctx=""#)),
        Guide(
            name: "browser-login", isPrepared: true, fields: ["Accept: text/html"], status: 302,
            answer: ("Location", "/oic_rest/login?serviceDomain=Shop&target=")),
        Guide(name: "upstream-tokens"),
    ]

    @Test("each guide's configuration is valid, and requires the login it describes", arguments: guides)
    func guide(_ guide: Guide) throws {
        let (directory, environment) = try Self.configuration(of: guide)
        // No server beyond loopback is called, for whose answer the end of the gateway would wait.
        for file in Self.files(guide.path) where file.file != "gateway.json" {
            let text = file.text.replacing(#/https://[a-z.]+\.example\.com/#, with: "https://127.0.0.1:1")
            try directory.write(file.file, text)
        }
        let gateway = try GatewayProcess(directory, environment: environment)
        let answer = try gateway.request(
            "GET", "/api/items", ["Host: 127.0.0.1:8080"] + guide.fields)
        #expect(answer.status == guide.status)
        #expect(answer.only(guide.answer.name)?.hasPrefix(guide.answer.start) == true, "\(answer.head)")
        try gateway.stop()
    }

    @Test("the calls of a Mobile & Social client reach the API as shown")
    func mobileCalls() throws {
        let guide = try #require(Self.guides.first { $0.name == "mobile-social" })
        let (directory, environment) = try Self.configuration(of: guide)
        let upstream = try StubUpstream()
        let text = try directory.read("gateway.json")
        try directory.write("gateway.json", text.replacing("http://127.0.0.1:9000", with: upstream.url))
        let gateway = try GatewayProcess(directory, environment: environment)
        let page = Vectors.text(guide.path)
        let match = try #require(page.firstMatch(of: /(?s)```sh\n(.*?)```\n\n```text\n(.*?)```/))
        let calls = String(match.1).replacing("127.0.0.1:8080", with: "127.0.0.1:\(try gateway.port())")
        let result = try Program.run("/bin/bash", ["-euc", calls])
        #expect(result.ending == .exit(0) && result.errors.isEmpty, "\(result.errors)")
        for (printed, shown) in zip(result.output.split(whereSeparator: \.isNewline), match.2.split(separator: "\n")) {
            let known = shown.firstRange(of: "...").map { shown[..<$0.lowerBound] } ?? shown
            #expect(printed.hasPrefix(known), "\(result.output)")
        }
        #expect(upstream.requests("/api/items").count == 1)
    }

    /// The directory of a guide, with ports that the kernel chooses, and its environment.
    private static func configuration(
        of guide: Guide
    ) throws -> (directory: ConfigurationDirectory, environment: [String: String]) {
        let least = Self.files("config/guides/first-steps.md")
        let files = Self.files(guide.path)
        #expect(files.contains { $0.file == "routes.json" })
        let directory = try ConfigurationDirectory()
        for file in least { try directory.write(file.file, file.text) }
        try Self.makeToken(in: directory)
        let environment = ["BILLING_SECRET": "of-the-test"]
        if guide.isPrepared { try Self.makeUsers(in: directory, for: guide.path) }
        for file in files { try directory.write(file.file, file.text) }
        let check = try CommandLine.run("check", directory.path, environment: environment)
        #expect(check.output.hasSuffix(": 0 errors, 0 warnings"), "\(check.errors)")
        let main = try directory.read("gateway.json")
        try directory.write(
            "gateway.json",
            main.replacing(#""port": 8080"#, with: #""port": 0, "name": "public""#)
                .replacing(#""admin": {"#, with: #""admin": { "port": 0,"#))
        return (directory, environment)
    }

    @Test("the README's first configuration is what `init` writes, without comments")
    func firstConfiguration() throws {
        let section = Self.section("## Your own gateway", of: "README.md")
        let line = try #require(section.firstMatch(of: /portcullis (init mine .*)/)).1
        let directory = try ConfigurationDirectory()
        let result = try Program.run(
            GatewayProcess.binary, line.split(separator: " ").map(String.init), directory: directory.path)
        #expect(result.ending == .exit(0), "\(result.errors)")
        let written = try directory.read("mine/gateway.jsonc").split(separator: "\n")
            .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        let shown = try #require(section.firstMatch(of: /(?s)```json\n(.*?)```/)).1
        #expect(shown.split(separator: "\n") == written)
    }

    @Test("the README's picture of a terminal has the lines of the section")
    func session() throws {
        let picture = Vectors.text("deploy/docs/session.svg").matches(of: /<text[^>]*>(.*)<\/text>/)
            .map { $0.1.replacing(/<[^>]*>/, with: "").replacing("&gt;", with: ">").replacing("&amp;", with: "&") }
            .joined().filter { !$0.isWhitespace }
        let section = Self.section("## Your own gateway", of: "README.md")
        let lines = section.matches(of: /(?s)```sh\n(.*?)```/).flatMap { $0.1.split(separator: "\n") }
        #expect(lines.count == 5)
        for line in lines { #expect(picture.contains("$" + line.filter { !$0.isWhitespace }), "run deploy/pictures") }
    }

    @Test("guides and README are short")
    func lengths() {
        for (path, limit) in [("README.md", 200), ("config/README.md", 120)] + Self.guidePaths.map({ ($0, 200) }) {
            #expect(
                Vectors.text(path).split(separator: "\n", omittingEmptySubsequences: false).count <= limit, "\(path)")
        }
    }

    /// The longest line of code that the rendered documents show without a break, in characters.
    private static let codeWidth = 105
    /// Guides with longer lines: their number is what the page tells, or they are printed by `init` or in an answer.
    private static let widerCode = [
        "jobs": 124, "bound-tokens": 109, "convert": 127, "forward-auth-caddy": 238, "forward-auth-envoy": 128,
        "forward-auth-nginx": 128, "forward-auth-traefik": 128,
    ]

    @Test("code in guides fits the width of the rendered page", arguments: guidePaths)
    func codeWidths(_ path: String) {
        let name = String(path.dropFirst("config/guides/".count).dropLast(".md".count))
        let code = Vectors.text(path).matches(of: /(?sm)^ *```\w*\n(.*?)^ *```/).flatMap { $0.1.split(separator: "\n") }
        let longest = code.map(\.count).max() ?? 0
        #expect(longest <= Self.widerCode[name] ?? Self.codeWidth)
        if let exact = Self.widerCode[name] { #expect(longest == exact) }
    }

    /// The files that a document shows, each below its name.
    private static func files(_ path: String) -> [GuideBlock] { GuideBlock.all(in: path).filter(\.isWhole) }
}

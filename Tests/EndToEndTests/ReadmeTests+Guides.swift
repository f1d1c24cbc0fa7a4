import Foundation
import Testing

/// "Your own gateway" in README.md: what it says is a configuration is one, and lets in whom it says (GW-05).
extension ReadmeTests {
    /// What a guide is, and what somebody without a credential meets there.
    struct Guide: Sendable, CustomTestStringConvertible {
        /// Nil for the beginning of the chapter.
        var heading: String?
        /// Whether roles, backend and user are made before.
        var isPrepared = false
        var fields: [Field] = []
        var status = 401
        /// What a field of the answer begins with.
        var answer: (name: String, start: String)

        var testDescription: String { heading ?? "the least" }

        static let bearer = (name: "WWW-Authenticate", start: "Bearer ")
    }

    static let guides = [
        Guide(answer: Guide.bearer),
        Guide(heading: "### Tokens of your identity provider", answer: Guide.bearer),
        Guide(heading: "### Tokens of the gateway's own", isPrepared: true, answer: Guide.bearer),
        Guide(
            heading: "### Clients of Oracle Mobile & Social", isPrepared: true, fields: ["User-Agent: OIC-Agent"],
            answer: ("WWW-Authenticate", #"OAM-Auth realm="ShopWG:2 /api/items", request-ctx=""#)),
        Guide(
            heading: "### Browsers that log in", isPrepared: true, fields: ["Accept: text/html"], status: 302,
            answer: ("Location", "/oic_rest/login?serviceDomain=Shop&target=")),
        Guide(heading: "### Another token for the API", answer: Guide.bearer),
    ]

    @Test("each guide's configuration is valid, and requires the login it describes", arguments: guides)
    func guide(_ guide: Guide) throws {
        let chapter = Self.section("## Your own gateway")
        let least = Self.files(chapter[..<(chapter.firstRange(of: "\n### ")?.lowerBound ?? chapter.endIndex)])
        let files = guide.heading.map { Self.files(Self.section($0)) } ?? least
        #expect(files.contains { $0.name == "routes.json" })
        let parent = try ConfigurationDirectory()
        let directory = ConfigurationDirectory("mine", in: parent)
        for file in least { try directory.write(file.name, file.text) }
        let environment = ["ADMIN_TOKEN": "of-the-test", "BILLING_SECRET": "of-the-test"]
        if guide.isPrepared {
            let own = Self.section("### Tokens of the gateway's own")
            let lines = try #require(own.firstMatch(of: /(?s)```sh\n(portcullis roles add.*?)```/)).1
            let program = URL(fileURLWithPath: GatewayProcess.binary).deletingLastPathComponent().path
            let result = try Program.run(
                "/bin/bash", ["-ec", "PATH=\(program):$PATH\n\(lines)"], environment: environment,
                directory: parent.path)
            #expect(result.ending == .exit(0), "\(result.errors)")
        }
        for file in files { try directory.write(file.name, file.text) }
        let check = try CommandLine.run("check", directory.path, environment: environment)
        #expect(check.output.hasSuffix(": 0 errors, 0 warnings"), "\(check.errors)")

        let main = try directory.read("gateway.json")
        try directory.write(
            "gateway.json",
            main.replacing(#""port": 8080"#, with: #""port": 0, "name": "public""#)
                .replacing(#""admin": {"#, with: #""admin": { "port": 0,"#))
        // Nobody is asked beyond loopback, whose answer the end of the gateway would wait for.
        for file in files where file.name != "gateway.json" {
            let text = file.text.replacing(#/https://[a-z.]+\.example\.com/#, with: "https://127.0.0.1:1")
            try directory.write(file.name, text)
        }
        let gateway = try GatewayProcess(directory, environment: environment)
        let answer = try gateway.request(
            "GET", "/api/items", ["Host: 127.0.0.1:8080"] + guide.fields)
        #expect(answer.status == guide.status)
        #expect(answer.only(guide.answer.name)?.hasPrefix(guide.answer.start) == true, "\(answer.head)")
        try gateway.stop()
    }

    /// The files that a part shows, each below its name.
    private static func files(_ text: Substring) -> [(name: String, text: String)] {
        text.matches(of: /(?s)\n`(\w+\.json)`\n\n```json\n(.*?)```/).map { (String($0.1), String($0.2)) }
    }
}

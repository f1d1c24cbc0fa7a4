import Foundation
import Model
import Testing

/// The documents are true: command lines print what is documented, links lead to headings, and lists are complete (GW-05,
/// stories 1, 2, 3 and 8).
@Suite struct ReadmeTests {
    /// All documents, with a line in front, so that each heading stands between two.
    static let texts =
        (["README.md", "Tests/Walkthrough.md", "Tests/FEATURES.md"] + markdown("config") + markdown("deploy"))
        .map { (path: $0, text: "\n" + Vectors.text($0)) }

    private static func markdown(_ directory: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: Vectors.root.appending(path: directory).path)
        return (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
            .map { "\(directory)/\($0)" }
    }

    static let guidePaths = markdown("config/guides")

    /// The text of the section with this heading, up to the next of the same or a higher rank.
    /// - Parameter path: the document; nil for the first one with the heading.
    static func section(_ heading: String, of path: String? = nil) -> Substring {
        let rank = heading.prefix { $0 == "#" }.count
        let candidates = texts.filter { path == nil || $0.path == path }
        guard let text = candidates.first(where: { $0.text.contains("\n\(heading)\n") })?.text,
            let start = text.range(of: "\n\(heading)\n")
        else { return "" }
        let rest = text[start.upperBound...]
        let end = rest.ranges(of: #/\n#+ /#).first { rest[$0].filter { $0 == "#" }.count <= rank }
        return rest[..<(end?.lowerBound ?? rest.endIndex)]
    }

    /// The first code block in this language of a section.
    static func block(_ language: String, of heading: String) -> Substring? {
        guard let start = section(heading).range(of: "```\(language)\n"),
            let end = section(heading)[start.upperBound...].range(of: "```")
        else { return nil }
        return section(heading)[start.upperBound..<end.lowerBound]
    }

    @Test("the documented metrics are complete and exact")
    func metrics() throws {
        let fixture = try Fixture()
        _ = try fixture.request("GET", "/open/x")
        let page = try fixture.gateway.request("GET", "/metrics", listener: "admin").text
        let existing = page.matches(of: #/# TYPE (\w+) /#).map { String($0.1) }
        // The count of former keys exists only with former keys.
        let documented = Self.labels()
        #expect(Set(documented.keys) == Set(existing).union(["portcullis_store_former_key_records"]))
        var seen = 0
        for sample in page.matches(of: #/(?m)^(\w+?)(?:_bucket|_sum|_count)?\{(.+)\} /#) {
            guard let labels = documented[String(sample.1)] ?? documented["\(sample.1)_count"] else { continue }
            let present = sample.2.matches(of: #/(\w+)="/#).map { String($0.1) }
            #expect(Set(present).isSubset(of: labels), "\(sample.1)")
            seen += 1
        }
        #expect(seen > 20)
    }

    /// The labels of the documented metrics.
    private static func labels() -> [String: Set<String>] {
        var labels: [String: Set<String>] = [:]
        for line in section("# Metrics").split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            let names = [1, 3].map { cells[$0].matches(of: /`([^`]+)`/).map { String($0.1) } }
            labels[names[0][0]] = Set(names[1])
        }
        return labels
    }

    @Test("every key of the handwritten schemas is explained")
    func keys() throws {
        let configuration = String(Self.section("# Configuration"))
        // `SectionFormTests` compares the other ones with the reference.
        for name in ["policies"] {
            let schema = JSONText(Vectors.text("config/schema/\(name).schema.json"))
            let keys = schema["properties"].names
            for key in keys where key != "$schema" && !key.hasPrefix("Security_") {
                #expect(configuration.contains("`\(key)") || configuration.contains("`\(key).json`"), "\(name): \(key)")
            }
        }
    }

    @Test("every link leads to an existing file and heading", arguments: texts.map(\.path))
    func links(_ path: String) throws {
        let directory = Vectors.root.appending(path: path).deletingLastPathComponent()
        let text = try #require(Self.texts.first { $0.path == path }).text
        // A link leads to the first of two.
        #expect(Self.anchors(in: text).count == Set(Self.anchors(in: text)).count)
        for link in text.matches(of: #/\]\(([^)]+)\)/#).map({ $0.1 }) where !link.contains("://") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file =
                parts[0].isEmpty ? Vectors.root.appending(path: path) : directory.appending(path: String(parts[0]))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
            guard parts.count == 2 else { continue }
            let target = try String(contentsOf: file, encoding: .utf8)
            #expect(Self.anchors(in: target).contains(String(parts[1])), "\(link)")
        }
    }

    /// What links to the headings of a text say.
    private static func anchors(in text: String) -> [String] {
        text.matches(of: /(?m)^#+ (.+)$/).map { anchor(of: $0.1) }
    }

    /// What a link to a heading says, as GitHub makes it.
    private static func anchor(of heading: Substring) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }

    /// The command lines of the README's start and of the walkthrough, and what they print.
    private static func blocks() -> [(kind: String, text: String)] {
        let texts = [section("## Start", of: "README.md"), section("# Walkthrough of the sample")]
        return texts.flatMap { $0.matches(of: /(?s)```(sh|text)\n(.*?)```/) }.map { (String($0.1), String($0.2)) }
    }

    @Test("the command lines of README and walkthrough print the documented output")
    func lines() throws {
        let directory = try ConfigurationDirectory()
        try SampleConfiguration.copy(into: directory)
        let echo = try Program(GatewayProcess.binary, ["echo", "--listen", "127.0.0.1:0"])
        let upstream = try #require(
            echo.wait(.errors) { $0.compactMap { JSONText($0)["address"].string }.first }, "no sample upstream")
        for name in ["config/gateway.json", "config/backends.json"] {
            try directory.write(name, try directory.read(name).replacing("127.0.0.1:9000", with: upstream))
        }
        let sample = try directory.read("config/gateway.json")
        try directory.write(
            "config/gateway.json",
            sample.replacing(#""port": 8080"#, with: #""port": 0"#)
                .replacing(#""port": 8443"#, with: #""port": 0"#).replacing(#""port": 9901"#, with: #""port": 0"#))
        let gateway = try GatewayProcess(
            ConfigurationDirectory("config", in: directory), listeners: ["public", "secure", "admin"])
        try directory.write("config/state/gateway.pid", String(gateway.program.processIdentifier))
        let (open, secure, admin) = (try gateway.port(), try gateway.port("secure"), try gateway.port("admin"))
        let adapt = { (text: String) in
            text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(open)").replacing(
                "127.0.0.1:9901", with: "127.0.0.1:\(admin)"
            )
            .replacing("127.0.0.1:9000", with: upstream).replacing("127.0.0.1:8443", with: "127.0.0.1:\(secure)")
        }
        // One shell for all, as in the documents; a mark after each block.
        let blocks = Self.blocks()
        let program = URL(fileURLWithPath: GatewayProcess.binary)
        var script = "set -u\nPATH=\(program.deletingLastPathComponent().path):$PATH\n"
        for block in blocks { script += block.kind == "sh" ? adapt(block.text) : "echo; echo '---8\u{3c}---'\n" }
        // Some hundred programs, one after the other, beside all other tests.
        let result = try Program.run("/bin/bash", ["-c", script], directory: directory.path, .after(.seconds(300)))
        #expect(result.errors == "")
        let printed = result.output.components(separatedBy: "\n---8\u{3c}---")
        let expected = blocks.filter { $0.kind == "text" }.map { adapt($0.text) }
        #expect(expected.count >= 9)
        #expect(printed.count >= expected.count)
        for (expected, printed) in zip(expected, printed) {
            // Blanks at the end of a line, as of the sample upstream, are not seen.
            let text = printed.replacing("\r\n", with: "\n").replacing(#/ +\n/#, with: "\n")
            #expect(Self.matches(text, expected), "documented:\n\(expected)\nprinted:\n\(text)")
        }
    }

    /// Whether a text is the pattern, in which `...` stands for anything.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let trim = { (text: String) in text.trimmingCharacters(in: .whitespacesAndNewlines) }
        var rest = Substring(trim(text))
        let parts = trim(pattern).components(separatedBy: "...")
        for (index, part) in parts.enumerated() {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return part.isEmpty || rest.hasSuffix(part)
            } else {
                guard let found = rest.range(of: part) else { return false }
                rest = rest[found.upperBound...]
            }
        }
        return rest.isEmpty
    }
}

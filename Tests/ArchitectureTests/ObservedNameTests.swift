import Foundation
import Testing

/// Names by which operators look for something: fields of logs, metrics and their labels.
@Suite struct ObservedNameTests {
    @Test("the document on logs has each field of the access log, and no other")
    func accessLogFields() throws {
        let source = try SourceTree.text("Sources/Gateway/Observability/AccessLog.swift")
        let written = Set(source.matches(of: /block\.member\(\s*"(\w+)"/).map { String($0.1) })
        let text = try SourceTree.text("deploy/docs/logs.md")
        let begin = try #require(text.range(of: "## The access log"))
        let end = try #require(text.range(of: "## Events"))
        let rows = text[begin.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let documented = Set(
            rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) }
            })
        #expect(written.count > 20)
        #expect(written == documented, "\(written.symmetricDifference(documented).sorted())")
        for name in written { #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(name)") }
    }

    /// The labels of the metrics that the reference lists; the program writes that page.
    private static func metrics() throws -> [String: Set<String>] {
        var metrics: [String: Set<String>] = [:]
        for line in try SourceTree.text("config/reference/metrics.md").split(separator: "\n") {
            guard let row = line.firstMatch(of: /^\| `(\w+)` \| (\w+) \| ([^|]*) \|/) else { continue }
            let labels = row.3.matches(of: /`(\w+)`/).map { String($0.1) }
            metrics[String(row.1)] = Set(labels)
            // Those of Prometheus for a histogram or summary.
            for suffix in ["_bucket", "_sum", "_count"] where row.2 == "histogram" || row.2 == "summary" {
                metrics["\(row.1)\(suffix)"] = Set(labels)
            }
        }
        return metrics
    }

    /// Documents, alerts, and files for deployment.
    private static func documents() throws -> [String] {
        try ["README.md", "config/guides", "deploy"].flatMap { top -> [String] in
            guard !top.hasSuffix(".md") else { return [top] }
            let names = try FileManager.default.subpathsOfDirectory(atPath: SourceTree.root.appending(path: top).path)
            return names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".yaml") || $0.hasSuffix(".json") }
                .map { "\(top)/\($0)" }
        }
    }

    @Test("documents and alerts name metrics and labels that there are")
    func metricsInDocuments() throws {
        let metrics = try Self.metrics()
        #expect(metrics.count > 60)
        var (named, labelled) = (0, 0)
        for path in try Self.documents() {
            let text = try SourceTree.text(path)
            for match in text.matches(of: /portcullis_[a-z0-9_]+[a-z0-9]/) {
                named += 1
                #expect(metrics[String(match.0)] != nil, "\(path): \(match.0)")
            }
            // `metric` by `label`, `label` and `metric{label="value"}`.
            for match in text.matches(of: /`(portcullis_\w+)` by (\S+)/) {
                let label = match.2.firstMatch(of: /^`(\w+)`/).map { String($0.1) }
                labelled += 1
                #expect(metrics[String(match.1)]?.contains(label ?? "") == true, "\(path): \(match.0)")
            }
            for match in text.matches(of: /(portcullis_\w+)\{([^}]*)\}/) {
                for label in match.2.matches(of: /(\w+)(?:=|!=|=~|!~)"/) {
                    labelled += 1
                    #expect(metrics[String(match.1)]?.contains(String(label.1)) == true, "\(path): \(match.0)")
                }
            }
        }
        #expect(named > 30 && labelled > 4)
    }
}

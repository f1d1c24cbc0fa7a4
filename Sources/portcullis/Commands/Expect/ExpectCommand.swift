import Bytes
import Configuration
import Declaration
import Model
import Simulation

/// `portcullis expect`: what is expected of a configuration, one result for each expectation.
enum ExpectCommand: Command {
    static let name = "expect"
    static let summary = "check what is expected of a configuration"
    static let help = """
        usage: portcullis expect DIR [--format text|junit|json]
               portcullis expect --config DIR [--format text|junit|json]
               portcullis expect DIR --record LOG

        Decides about each request of expectations.json by the rules in DIR, and compares. `check` and reloads do the same
        and refuse a configuration with an expectation that is not met; this command lists all results, as continuous
        integration wants them. Needs no running gateway, calls no server, and considers no state.

        --format  text, a line for each expectation (default); junit, XML with a test case for each; json
        --config  the directory
        --record  print expectations made of the access log LOG ("-" for standard input): for each route, method, caller and
                  decision one request, with what is decided now. The log needs "replay" in "log.fields". A single request
                  is recorded by `portcullis explain METHOD PATH --config DIR --record`

        exit status: 0 all are met, 1 one is not met, or the configuration is invalid

        example: portcullis expect config --format junit > expectations.xml
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let directory = try arguments.directory(of: self)
        guard let format = Format(rawValue: arguments["--format"] ?? "text") else {
            throw .misuse("--format is text, junit or json")
        }
        let reading = try Assembly.read(directory, makesKeys: false, checksExpectations: false)
        if let log = arguments["--record"] { return try record(log, reading) }
        let expectations = reading.configuration.policies.expectations
        if expectations.isEmpty { Terminal.printError("\(directory): there are no expectations") }
        let simulator = reading.simulator
        let results = expectations.map { Result(expectation: $0, mismatches: simulator.mismatches($0)) }
        Terminal.print(format.text(of: results))
        if results.contains(where: { !$0.isMet }) { throw .failed }
    }

    private static func record(_ log: String, _ reading: Assembly.Reading) throws(ExitStatus) {
        var recording = Replay.Recording(reading.rules)
        try FileText.eachLine(of: log) { recording.add(line: $0) }
        let lines = recording.expectations.map { "  " + String(decoding: $0.serialized, as: UTF8.self) }
        Terminal.print("[\n\(lines.joined(separator: ",\n"))\n]")
        if recording.omitted > 0 {
            Terminal.printError(
                "\(recording.omitted) lines left out: their callers cannot be described (\"log.fields\" needs \"replay\"), or they are decided otherwise now"
            )
        }
    }

    /// What came of an expectation.
    fileprivate struct Result {
        let expectation: Expectation
        let mismatches: [Mismatch]

        var isMet: Bool { mismatches.isEmpty }
        /// A line for each mismatch.
        var texts: [String] { mismatches.map { "\($0.member): \($0.text)" } }
    }

    private enum Format: String {
        case text, junit, json

        func text(of results: [Result]) -> String {
            switch self {
            case .text:
                let failed = results.count { !$0.isMet }
                let lines = results.flatMap { result in
                    ["\(result.isMet ? "ok    " : "FAILED") \(result.expectation.title)"]
                        + result.texts.map { "       \($0)" }
                }
                let sum = "\(results.count) expectation\(results.count == 1 ? "" : "s"), \(failed) not met"
                return (lines + [sum]).joined(separator: "\n")
            case .junit: return JUnitReport.text(results)
            case .json:
                let entries = results.enumerated().map { index, result in
                    JSONNode.object([
                        ("index", .number(Int64(index))), ("name", .text(result.expectation.title)),
                        ("met", .flag(result.isMet)), ("mismatches", .texts(result.texts)),
                    ])
                }
                return String(decoding: JSONNode(.array(entries)).serialized, as: UTF8.self)
            }
        }
    }

    /// The XML that servers of continuous integration read.
    private enum JUnitReport {
        static func text(_ results: [Result]) -> String {
            let failed = results.count { !$0.isMet }
            let cases = results.map { result in
                let name = MarkupText.escaped(result.expectation.title)
                let start = "  <testcase classname=\"expectations\" name=\"\(name)\""
                if result.isMet { return start + "/>" }
                let text = MarkupText.escaped(result.texts.joined(separator: "; "))
                return start + ">\n    <failure message=\"\(text)\"/>\n  </testcase>"
            }
            let suite = "<testsuite name=\"expectations\" tests=\"\(results.count)\" failures=\"\(failed)\">"
            return (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", suite] + cases + ["</testsuite>"])
                .joined(separator: "\n")
        }
    }
}

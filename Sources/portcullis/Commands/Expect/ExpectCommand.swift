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

        Secrets and key files that are absent here are listed, and nothing is decided by them. An expectation of a field with
        such a value is undecided.

        exit status: 0 all are met, 1 one is not met, or the configuration is invalid, 3 one is undecided

        example: portcullis expect config --format junit > expectations.xml
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let directory = try arguments.directory(of: self)
        guard let format = Format(rawValue: arguments["--format"] ?? "text") else {
            throw .misuse("--format is text, junit or json")
        }
        let review = try Assembly.review(directory)
        for line in review.notRead { Terminal.printError(line) }
        if let log = arguments["--record"] { return try record(log, review) }
        if review.expectations.isEmpty { Terminal.printError("\(directory): there are no expectations") }
        let simulator = review.rules.simulator
        let results = review.expectations.map { Result(expectation: $0, mismatches: simulator.mismatches($0)) }
        Terminal.print(format.text(of: results))
        if results.contains(where: { !$0.isMet && !$0.isUndecided }) { throw .failed }
        if results.contains(where: \.isUndecided) { throw .undecided }
    }

    private static func record(_ log: String, _ review: Assembly.Review) throws(ExitStatus) {
        var recording = Replay.Recording(review.rules)
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
        /// Whether it differs by values alone that are absent here.
        var isUndecided: Bool { !isMet && mismatches.allSatisfy { Absences.isMarked($0.text) } }
        /// A line for each mismatch.
        var texts: [String] { mismatches.map { "\($0.member): \($0.text)" } }
    }

    private enum Format: String {
        case text, junit, json

        func text(of results: [Result]) -> String {
            switch self {
            case .text:
                let undecided = results.count(where: \.isUndecided)
                let failed = results.count { !$0.isMet } - undecided
                let lines = results.flatMap { result in
                    let word = result.isMet ? "ok    " : result.isUndecided ? "UNDECIDED" : "FAILED"
                    return ["\(word) \(result.expectation.title)"] + result.texts.map { "       \($0)" }
                }
                let sum =
                    "\(results.count) expectation\(results.count == 1 ? "" : "s"), \(failed) not met"
                    + (undecided == 0 ? "" : ", \(undecided) undecided")
                return (lines + [sum]).joined(separator: "\n")
            case .junit: return JUnitReport.text(results)
            case .json:
                let entries = results.enumerated().map { index, result in
                    JSONNode.object([
                        ("index", .number(Int64(index))), ("name", .text(result.expectation.title)),
                        ("met", .flag(result.isMet)), ("undecided", .flag(result.isUndecided)),
                        ("mismatches", .texts(result.texts)),
                    ])
                }
                return String(decoding: JSONNode(.array(entries)).serialized, as: UTF8.self)
            }
        }
    }

    /// The XML that servers of continuous integration read.
    private enum JUnitReport {
        static func text(_ results: [Result]) -> String {
            let undecided = results.count(where: \.isUndecided)
            let failed = results.count { !$0.isMet } - undecided
            let cases = results.map { result in
                let name = MarkupText.escaped(result.expectation.title)
                let start = "  <testcase classname=\"expectations\" name=\"\(name)\""
                if result.isMet { return start + "/>" }
                let text = MarkupText.escaped(result.texts.joined(separator: "; "))
                let tag = result.isUndecided ? "error" : "failure"
                return start + ">\n    <\(tag) message=\"\(text)\"/>\n  </testcase>"
            }
            let errors = undecided == 0 ? "" : " errors=\"\(undecided)\""
            let suite =
                "<testsuite name=\"expectations\" tests=\"\(results.count)\" failures=\"\(failed)\"\(errors)>"
            return (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", suite] + cases + ["</testsuite>"])
                .joined(separator: "\n")
        }
    }
}

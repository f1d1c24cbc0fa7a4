import Bytes
import Declaration
import Model
import Simulation

/// `portcullis replay`: how the requests of an access log would be decided by a configuration.
enum ReplayCommand: Command {
    static let name = "replay"
    static let summary = "decide about the requests of an access log by another configuration"
    static let help = """
        usage: portcullis replay LOG NEW [--json]

        Decides about each request of the access log LOG by the rules in the directory NEW, and counts those that would be
        decided otherwise, by route, caller and reason, with examples. "-" reads standard input. Needs no running gateway and
        calls no server.

        The log needs "replay" in "log.fields" for requests with a credential: it then tells host, kind of caller, roles,
        scopes and digests of the claims that rules ask for. Requests that were refused for a rate or a failure are not
        decided again, nor are those with a credential that was worth nothing. Roles are those that the caller had. Secrets
        and key files of NEW that are absent here are listed, and nothing is decided by them.

        --json  the counts for programs

        exit status: 0 none would be decided otherwise, 1 some would, 3 the log cannot be read, or the configuration is invalid

        example: portcullis replay access.log new
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let log = arguments.positional[0]
        let review: Assembly.Review
        do throws(ExitStatus) { review = try Assembly.review(arguments.positional[1]) } catch { throw .undecided }
        for line in review.notRead { Terminal.printError(line) }
        var replay = Replay(review.rules)
        try FileText.eachLine(of: log) { replay.add(line: $0) }
        Terminal.print(arguments.has("--json") ? json(replay) : text(replay))
        if !replay.differences.isEmpty { throw .failed }
    }

    private static func text(_ replay: Replay) -> String {
        var lines: [String] = []
        for difference in replay.differences {
            lines.append(
                "\(difference.access.rawValue.uppercased()) \(difference.count)  \(difference.route), \(difference.caller)"
            )
            lines.append("  \(difference.before) -> \(difference.after)")
            lines += difference.examples.map { "  \($0)" } + [""]
        }
        let differing = replay.differences.reduce(0) { $0 + $1.count }
        lines.append("\(replay.replayed) requests decided again, \(differing) of them otherwise")
        if replay.undecided > 0 { lines.append("\(replay.undecided) depend on what the log does not tell") }
        for (omission, count) in omissions(replay) {
            lines.append("\(count) not decided again: a request that \(omission.rawValue)")
        }
        return lines.joined(separator: "\n")
    }

    private static func omissions(_ replay: Replay) -> [(LoggedRequest.Omission, Int)] {
        LoggedRequest.Omission.allCases.compactMap { omission in replay.omitted[omission].map { (omission, $0) } }
    }

    private static func json(_ replay: Replay) -> String {
        let differences = replay.differences.map { difference in
            JSONNode.object([
                ("access", .text(difference.access.rawValue)), ("count", .number(Int64(difference.count))),
                ("route", .text(difference.route)), ("caller", .text(difference.caller)),
                ("before", .text(difference.before)), ("after", .text(difference.after)),
                ("examples", .texts(difference.examples)),
            ])
        }
        let node = JSONNode.object([
            ("replayed", .number(Int64(replay.replayed))), ("undecided", .number(Int64(replay.undecided))),
            ("omitted", .object(omissions(replay).map { ("\($0)", .number(Int64($1))) })),
            ("differences", JSONNode(.array(differences))),
        ])
        return String(decoding: node.serialized, as: UTF8.self)
    }
}

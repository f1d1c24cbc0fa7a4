import Bytes
import Configuration
import HTTP
import Model
import Simulation

/// `portcullis diff`: which requests two configurations decide differently.
enum DiffCommand: Command {
    static let name = "diff"
    static let summary = "show what a change of the configuration does, and to whose requests"
    static let help = """
        usage: portcullis diff OLD NEW [--format text|markdown|json] [--json] [--fail-on gained|lost|changed]
               portcullis diff --running --config DIR [--admin-token-file FILE] [--json]
                                 [--fail-on gained|lost|changed]
               portcullis diff --running --admin URL [--admin-token-file FILE] [--json]
                                 [--fail-on gained|lost|changed]

        Computes from the rules of the directories OLD and NEW every class of requests that they decide differently: path,
        method, host, kind of caller, roles, scopes and claims; who gains access and who loses it, and which fields and tokens
        upstreams get instead. Each class has a request as an example, in the form of expectations.json. Needs no running
        gateway and calls no server.

        Requests are taken as encrypted. Rates, revocations and other state have no part in it, nor has what the gateway's own
        endpoints answer. What policy servers decide is listed as undecided where its rule has changed. Secrets and key files
        that are absent here in one of the directories are listed, and compared in neither.

        --running  what a reload would change: the rules in force at a running gateway against the files that it would read
        --format   text (default); markdown, a table for pull requests of at most 60,000 bytes; json, the classes for programs
        --json     the same as --format json
        --fail-on  which classes are a failure: gained (default); lost, also those that lose access; changed, every class

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status: 0 no class is a failure, 1 one is, 2 usage, 3 a configuration is invalid, or something is undecided

        example: portcullis diff /etc/portcullis new --fail-on lost
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        guard let format = Format(rawValue: arguments.has("--json") ? "json" : arguments["--format"] ?? "text") else {
            throw .misuse("--format is text, markdown or json")
        }
        guard let last = DifferenceClass.Access(rawValue: arguments["--fail-on"] ?? "gained") else {
            throw .misuse("--fail-on is gained, lost or changed")
        }
        let failures = last.andWeightier
        if arguments.has("--running") {
            if format == .markdown { throw .misuse("--format markdown goes with two directories") }
            return try showRunning(arguments, asJSON: format == .json, failures: failures)
        }
        guard arguments.positional.count == 2 else { throw .misuse("expected two directories: diff OLD NEW") }
        let (old, new, notRead) = try Assembly.reviews(from: arguments.positional[0], to: arguments.positional[1])
        let difference = Difference(from: old.rules, to: new.rules, host: new.host)
        switch format {
        case .text: Terminal.print((notRead + [difference.text]).joined(separator: "\n"))
        case .markdown: Terminal.print(difference.markdown(notes: notRead))
        case .json:
            let members = (difference.json.members ?? []).map { (name: $0.name, value: $0.node) }
            let node = JSONNode.object(members + [("notRead", .texts(notRead))])
            Terminal.print(String(decoding: node.serialized, as: UTF8.self))
        }
        if difference.classes.contains(where: { failures.contains($0.change.access) }) { throw .failed }
        if !difference.undecided.isEmpty { throw .undecided }
    }

    private enum Format: String {
        case text, markdown, json
    }

    /// What the next reload would change.
    private static func showRunning(
        _ arguments: Arguments, asJSON: Bool, failures: ArraySlice<DifferenceClass.Access>
    ) throws(ExitStatus) {
        let client = try RunningGateway.client(arguments, needsToken: true)
        let answer = try AdminTarget.gateway(client).perform(.command(.get, ["changes"]), consequence: "")
        guard let answer, let text = answer["text"]?.string, let classes = answer["classes"]?.array else {
            throw .notAnAdminListener(200)
        }
        let directory = answer["directory"]?.string ?? ""
        Terminal.print(
            asJSON
                ? String(decoding: answer.serialized, as: UTF8.self)
                : "the rules in force against the files in \(directory), which this gateway reads\n\n\(text)")
        let kinds = classes.compactMap { $0["access"]?.string.flatMap(DifferenceClass.Access.init) }
        if kinds.contains(where: failures.contains) { throw .failed }
        if answer["undecided"]?.array?.isEmpty == false { throw .undecided }
    }
}

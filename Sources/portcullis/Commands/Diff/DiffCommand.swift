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
        usage: portcullis diff OLD NEW [--json]
               portcullis diff --running --config DIR [--admin-token-file FILE] [--json]
               portcullis diff --running --admin URL [--admin-token-file FILE] [--json]

        Computes from the rules of the directories OLD and NEW every class of requests that they decide differently: path,
        method, host, kind of caller, roles, scopes and claims; who gains access and who loses it, and which fields and tokens
        upstreams get instead. Each class has a request as an example, in the form of expectations.json. Needs no running
        gateway and calls no server.

        Requests are taken as encrypted. Rates, revocations and other state have no part in it, nor has what the gateway's own
        endpoints answer. What policy servers decide is listed as undecided where its rule has changed. Secrets and key files
        that are absent here in one of the directories are listed, and compared in neither.

        --running  what a reload would change: the rules in force at a running gateway against the files that it would read
        --json     the classes for programs

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status: 0 no one gains access, 1 someone does, 2 usage, 3 a configuration is invalid, or something is undecided

        example: portcullis diff /etc/portcullis new
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        if arguments.has("--running") { return try showRunning(arguments) }
        guard arguments.positional.count == 2 else { throw .misuse("expected two directories: diff OLD NEW") }
        let (old, new, notRead) = try Assembly.reviews(from: arguments.positional[0], to: arguments.positional[1])
        let difference = Difference(from: old.rules, to: new.rules, host: new.host)
        if arguments.has("--json") {
            let members = (difference.json.members ?? []).map { (name: $0.name, value: $0.node) }
            let node = JSONNode.object(members + [("notRead", .texts(notRead))])
            Terminal.print(String(decoding: node.serialized, as: UTF8.self))
        } else {
            Terminal.print((notRead + [difference.text]).joined(separator: "\n"))
        }
        if difference.someoneGains { throw .failed }
        if !difference.undecided.isEmpty { throw .undecided }
    }

    /// What the next reload would change.
    private static func showRunning(_ arguments: Arguments) throws(ExitStatus) {
        let client = try RunningGateway.client(arguments, needsToken: true)
        let answer = try AdminTarget.gateway(client).perform(.command(.get, ["changes"]), consequence: "")
        guard let answer, let text = answer["text"]?.string, let gains = answer["gains"]?.bool else {
            throw .notAnAdminListener(200)
        }
        let directory = answer["directory"]?.string ?? ""
        Terminal.print(
            arguments.has("--json")
                ? String(decoding: answer.serialized, as: UTF8.self)
                : "the rules in force against the files in \(directory), which this gateway reads\n\n\(text)")
        if gains { throw .failed }
        if answer["undecided"]?.array?.isEmpty == false { throw .undecided }
    }
}

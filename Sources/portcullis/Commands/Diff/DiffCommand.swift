import Bytes
import Configuration
import Model
import Simulation

/// `portcullis diff`: which requests two configurations decide differently.
enum DiffCommand: Command {
    static let name = "diff"
    static let summary = "show what a change of the configuration does, and to whose requests"
    static let help = """
        usage: portcullis diff OLD NEW [--json]

        Computes from the rules of the directories OLD and NEW every class of requests that they decide differently: path,
        method, host, kind of caller, roles, scopes and claims; who gains access and who loses it, and which fields and tokens
        upstreams get instead. Each class has a request as an example, in the form of expectations.json. Needs no running
        gateway and calls no server.

        Requests are taken as encrypted. Rates, revocations and other state have no part in it, nor has what the gateway's own
        endpoints answer. What policy servers decide is listed as undecided where its rule has changed.

        --json  the classes for programs

        exit status: 0 no one gains access, 1 someone does, 2 usage, 3 a configuration is invalid, or something is undecided

        example: portcullis diff /etc/portcullis new
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: [], flags: ["--json"])
        guard arguments.positional.count == 2 else { throw .misuse("expected two directories: diff OLD NEW") }
        let old = try read(arguments.positional[0])
        let new = try read(arguments.positional[1])
        let difference = Difference(from: old.rules, to: new.rules, host: new.configuration.baseURL.host)
        Terminal.print(arguments.has("--json") ? json(difference) : text(difference))
        if difference.someoneGains { throw .failed }
        if !difference.undecided.isEmpty { throw .undecided }
    }

    private static func read(_ directory: String) throws(ExitStatus) -> Assembly.Reading {
        do throws(ExitStatus) {
            return try Assembly.read(directory, makesKeys: false, checksExpectations: false)
        } catch {
            throw .undecided
        }
    }

    private static func json(_ difference: Difference) -> String {
        let node = JSONNode.object([
            ("classes", JSONNode(.array(difference.classes.map(\.json)))), ("undecided", .texts(difference.undecided)),
        ])
        return String(decoding: node.serialized, as: UTF8.self)
    }

    private static func text(_ difference: Difference) -> String {
        let classes = difference.classes
        if classes.isEmpty, difference.undecided.isEmpty { return "no request is decided differently" }
        let counts = [DifferenceClass.Access.gained, .lost, .changed].map { access in
            "\(classes.count { $0.change.access == access }) \(access.rawValue)"
        }
        var lines: [String] = []
        for place in classes.indices where !classes[..<place].contains(where: { $0.isBeside(classes[place]) }) {
            lines += text(of: classes[place...].filter { $0.isBeside(classes[place]) })
        }
        return (lines + difference.undecided.map { "UNDECIDED " + $0 } + [counts.joined(separator: ", ")])
            .joined(separator: "\n")
    }

    /// Classes of the same requests that come to the same, for each kind of caller.
    private static func text(of classes: [DifferenceClass]) -> [String] {
        guard let first = classes.first else { return [] }
        var lines = ["\(first.change.access.rawValue.uppercased()): \(first.change.after)"]
        lines += first.places.map { "    \($0)" }
        for one in classes {
            let properties = one.properties.map { $0.labels.joined(separator: " or ") }.filter { !$0.isEmpty }
            lines.append("  \(([one.caller] + properties).joined(separator: ", ")); before: \(one.change.before)")
        }
        return lines + first.change.details.map { "  \($0)" } + [""]
    }
}

extension DifferenceClass {
    fileprivate func isBeside(_ other: DifferenceClass) -> Bool {
        change.access == other.change.access && change.after == other.change.after
            && change.details == other.change.details && places == other.places
    }
}

import Bytes
import Configuration
import Declaration
import HTTP

/// The parsed arguments of an administrative command: `portcullis COMMAND ACTION NAME... --options`.
struct AdminInvocation {
    /// The arguments that an action accepts.
    struct Shape {
        let names: ClosedRange<Int>
        let options: Set<String>
        let flags: Set<String>
        /// Whether the files of a directory do not suffice.
        let needsGateway: Bool

        init(
            _ names: ClosedRange<Int>, options: Set<String> = [], flags: Set<String> = [], needsGateway: Bool = false
        ) {
            self.names = names
            self.options = options
            self.flags = flags
            self.needsGateway = needsGateway
        }
    }

    let action: String
    let arguments: Arguments
    let target: AdminTarget

    /// - Throws: `.usage` after printing what is wrong.
    init(_ words: [String], of command: any Command.Type, _ actions: [String: Shape]) throws(ExitStatus) {
        guard let action = words.first else { throw command.usageError() }
        guard let shape = actions[action] else {
            throw command.unknownAction(action, among: actions.keys)
        }
        arguments = try Arguments(
            words.dropFirst(), options: shape.options.union(AdminTarget.options), flags: shape.flags)
        guard shape.names.contains(arguments.positional.count) else {
            throw AdminInvocation.wrongCount(command, action, arguments.positional.count, shape.names)
        }
        self.action = action
        target = shape.needsGateway ? try .running(arguments) : try AdminTarget(arguments)
    }

    /// Prints how many names an action expects, and its lines of the help.
    private static func wrongCount(
        _ command: any Command.Type, _ action: String, _ count: Int, _ expected: ClosedRange<Int>
    ) -> ExitStatus {
        let number =
            switch expected {
            case 1...1: "1 name"
            case _ where expected.count == 1: "\(expected.lowerBound) names"
            default: "\(expected.lowerBound) to \(expected.upperBound) names"
            }
        let status = ExitStatus.misuse("\(command.name) \(action): expected \(number), found \(count)")
        let start = "portcullis \(command.name) "
        var isShown = false
        for line in command.help.split(separator: "\n", omittingEmptySubsequences: false).prefix(while: { !$0.isEmpty })
        {
            if let form = line.firstRange(of: start) {
                let actions = line[form.upperBound...].prefix { $0 != " " }.split(separator: "|")
                isShown = actions.contains { String($0).isExactly(action) }
            }
            if isShown { Terminal.printError(String(line)) }
        }
        Terminal.printError("`portcullis help \(command.name)` explains them")
        return status
    }

    var names: [String] { arguments.positional }
    var first: String { arguments.positional.first ?? "" }

    /// The value of an option as a member of a body.
    func text(_ option: String) -> JSONNode? { arguments[option].map { .text($0) } }

    /// Performs an action that clients and backends have in common.
    /// - Parameters:
    ///   - section: the resource.
    ///   - depth: how many names an entry has.
    /// - Returns: whether the action is one of these.
    func performShared(on section: String, depth: Int) throws(ExitStatus) -> Bool {
        let entry = [section] + names.prefix(depth)
        switch action {
        case "show": try show(.get, entry, query: [("secrets", arguments.has("--secrets") ? "true" : nil)])
        case "list": try show(.get, [section])
        case "rotate-secret": try show(.post, entry + ["rotate-secret"])
        case "revoke": try send(.post, entry + ["revoke"])
        case "remove": try send(.delete, entry)
        default: return false
        }
        return true
    }

    /// Sends a request and ignores the body of its response.
    func send(
        _ method: Method, _ path: [String], query: [(String, String?)] = [],
        body: [(name: String, value: JSONNode?)]? = nil
    ) throws(ExitStatus) {
        try target.perform(.command(method, path, query: query, body: body))
    }

    /// Sends a request and prints the body of its response.
    func show(
        _ method: Method, _ path: [String], query: [(String, String?)] = [],
        body: [(name: String, value: JSONNode?)]? = nil
    ) throws(ExitStatus) {
        AdminTarget.show(try target.perform(.command(method, path, query: query, body: body)))
    }
}

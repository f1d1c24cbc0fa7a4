import Bytes
import HTTP

/// The parsed arguments of an administrative command: `portcullis COMMAND ACTION NAME... --options`.
struct AdminInvocation {
    let arguments: Arguments
    let target: AdminTarget

    /// - Parameter needsGateway: the actions for which the files of a directory do not suffice.
    /// - Throws: `.usage` after printing what is wrong.
    init(
        _ words: [String], of command: any Command.Type, needsGateway: Set<String> = []
    ) throws(ExitStatus) {
        arguments = try Arguments(words, of: command)
        target = needsGateway.contains(arguments.action) ? try .running(arguments) : try AdminTarget(arguments)
    }

    var action: String { arguments.action }
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
        Listing.show(
            try target.perform(.command(method, path, query: query, body: body)), asJSON: arguments.has("--json"))
    }
}

import Bytes
import Configuration
import Gateway
import HTTP

/// `portcullis route`: single settings of routes (TOOL-02).
enum RouteCommand: Command {
    static let name = "route"
    static let summary = "show routes, and change single settings of one"
    static let help = """
        usage: portcullis route list WHERE
               portcullis route show ROUTE WHERE
               portcullis route set ROUTE SETTING=VALUE... WHERE

        ROUTE is the name of a route, or its path. SETTING is a member of the route, or leads into one with dots:
        loginRequired=false, 'methods.GET.roles=["Clerk"]'. VALUE is JSON, or else a text; without one (`level=`) the
        setting is taken out.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(
            arguments, of: self, ["list": .init(0...0), "show": .init(1...1), "set": .init(2...65)])
        let route = ["routes", call.first]
        switch call.action {
        case "list": AdminTarget.show(try call.target.perform(.command(.get, ["routes"])))
        case "show": AdminTarget.show(try call.target.perform(.command(.get, route)))
        default:
            var members: [(name: String, value: JSONNode?)] = []
            for word in call.names.dropFirst() { members.append(try setting(word)) }
            try call.target.perform(.command(.patch, route, [], members))
        }
    }

    private static func setting(_ word: String) throws(ExitStatus) -> (name: String, value: JSONNode?) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            Terminal.complain("portcullis: \(word) is not SETTING=VALUE")
            throw .usage
        }
        if parts[1].isEmpty { return (parts[0], JSONNode(.null)) }
        return (parts[0], (try? JSONNode.parse(Array(parts[1].utf8).span)) ?? .text(parts[1]))
    }
}

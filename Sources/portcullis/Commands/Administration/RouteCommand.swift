import Bytes
import HTTP

/// `portcullis route`: single settings of routes (TOOL-02).
enum RouteCommand: Command {
    static let name = "route"
    static let summary = "show routes and change single settings"
    static let help = """
        usage: portcullis route list WHERE
               portcullis route show ROUTE WHERE
               portcullis route set ROUTE SETTING=VALUE... WHERE

        ROUTE is the name or the path of a route. SETTING is a member of the route or a path to one, separated by dots:
        loginRequired=false, 'methods.GET.roles=["Clerk"]'. VALUE is JSON or a text; an empty VALUE (`level=`) removes the
        setting.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        let route = ["routes", call.first]
        switch call.action {
        case "list": try call.show(.get, ["routes"])
        case "show": try call.show(.get, route)
        default:
            var members: [(name: String, value: JSONNode?)] = []
            for word in call.names.dropFirst() { members.append(try setting(word)) }
            try call.send(.patch, route, body: members)
        }
    }

    private static func setting(_ word: String) throws(ExitStatus) -> (name: String, value: JSONNode?) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw .misuse("\(word) is not SETTING=VALUE")
        }
        if parts[1].isEmpty { return (parts[0], JSONNode(.null)) }
        return (parts[0], (try? JSONNode.parse(Array(parts[1].utf8).span)) ?? .text(parts[1]))
    }
}

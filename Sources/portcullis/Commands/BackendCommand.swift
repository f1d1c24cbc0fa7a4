import Bytes
import Configuration
import Gateway
import HTTP

/// `portcullis backend`: mobile backends (MBE-01 to MBE-07).
enum BackendCommand: Command {
    static let name = "backend"
    static let summary = "make, show, switch and revoke mobile backends"
    static let help = """
        usage: portcullis backend create NAME VERSION [--realm REALM] WHERE
               portcullis backend show NAME [VERSION] [--secrets] WHERE
               portcullis backend list WHERE
               portcullis backend enable|disable NAME VERSION oauth|basic|sso WHERE
               portcullis backend add-route|remove-route NAME VERSION ROUTE WHERE
               portcullis backend rotate-secret NAME VERSION WHERE
               portcullis backend revoke|remove NAME VERSION WHERE

        create         adds a backend with fresh ids and keys and prints them, with the client secret, as JSON
        show           prints the settings that applications need, as JSON. VERSION may be left out where there is only
                       one
        enable         switches OAuth Consumer, HTTP Basic or single sign-on on or off
        add-route      lists a route, by its name, as one of the backend's
        rotate-secret  makes a new client secret and prints it; the old one and all tokens are void. A revoked backend is
                       in use again
        revoke         neither secret nor keys nor tokens of the backend count any more; its ids stay taken
        remove         takes the backend out, and ends its tokens; no route may name it any more

        --realm    the realm whose users log in with this backend; "Default" by default
        --secrets  show the client secret too

        \(AdminTarget.help)
        """

    private static let shapes: [String: AdminInvocation.Shape] = [
        "create": .init(2...2, options: ["--realm"]), "show": .init(1...2, flags: ["--secrets"]), "list": .init(0...0),
        "enable": .init(3...3), "disable": .init(3...3), "add-route": .init(3...3), "remove-route": .init(3...3),
        "rotate-secret": .init(2...2), "revoke": .init(2...2), "remove": .init(2...2),
    ]

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self, shapes)
        let backend = ["backends"] + call.names.prefix(2)
        switch call.action {
        case "create":
            let realm = call.arguments["--realm"].map { JSONNode.text($0) }
            let members: [(String, JSONNode?)] = [
                ("name", .text(call.first)), ("version", .text(call.names[1])), ("realm", realm),
            ]
            AdminTarget.show(try call.target.perform(.command(.post, ["backends"], [], members)))
        case "show":
            let secrets = call.arguments.has("--secrets") ? "true" : nil
            AdminTarget.show(try call.target.perform(.command(.get, backend, [("secrets", secrets)])))
        case "list": AdminTarget.show(try call.target.perform(.command(.get, ["backends"])))
        case "enable", "disable":
            let members = [(try member(call.names[2]), JSONNode.flag(call.action == "enable") as JSONNode?)]
            try call.target.perform(.command(.patch, backend, [], members))
        case "add-route":
            let members = [("route", JSONNode.text(call.names[2]) as JSONNode?)]
            try call.target.perform(.command(.post, backend + ["routes"], [], members))
        case "remove-route": try call.target.perform(.command(.delete, backend + ["routes", call.names[2]]))
        case "rotate-secret": AdminTarget.show(try call.target.perform(.command(.post, backend + ["rotate-secret"])))
        case "remove": try call.target.perform(.command(.delete, backend))
        default: try call.target.perform(.command(.post, backend + ["revoke"]))
        }
    }

    private static func member(_ name: String) throws(ExitStatus) -> String {
        switch name {
        case "oauth": return "oauthConsumer"
        case "basic": return "httpBasic"
        case "sso": return "enableSso"
        default:
            Terminal.complain("portcullis: \(name) is none of oauth, basic and sso")
            throw .usage
        }
    }
}

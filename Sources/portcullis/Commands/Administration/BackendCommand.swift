import Bytes
import HTTP

/// `portcullis backend`: mobile backends of `backends.json`.
enum BackendCommand: Command {
    static let name = "backend"
    static let summary = "create, show, change and revoke mobile backends"
    static let help = """
        usage: portcullis backend create NAME VERSION [--realm REALM] WHERE
               portcullis backend show NAME [VERSION] [--secrets] WHERE
               portcullis backend list WHERE
               portcullis backend enable|disable NAME VERSION oauth|basic|sso WHERE
               portcullis backend add-route|remove-route NAME VERSION ROUTE WHERE
               portcullis backend rotate-secret NAME VERSION WHERE
               portcullis backend revoke|remove NAME VERSION WHERE

        create         adds a backend with new ids and keys and prints them, with the client secret, as JSON
        show           prints the settings that applications need, as JSON; VERSION is optional for a single version
        enable         enables OAuth Consumer, HTTP Basic or single sign-on; `disable` turns it off
        add-route      adds a route, by its name, to the backend
        rotate-secret  creates a new client secret and prints it; the old secret and all tokens become invalid. A revoked
                       backend becomes active again
        revoke         invalidates the secret, the keys and all tokens of the backend; its ids stay reserved
        remove         removes the backend and revokes its tokens; no route may name it any more

        --realm    the realm whose users log in with this backend (default: "Default")
        --secrets  include the client secret

        `portcullis clients` has the clients of clients.json, which need none of the protocol of Mobile Cloud.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        if try call.performShared(on: "backends", depth: 2) { return }
        let backend = ["backends"] + call.names.prefix(2)
        switch call.action {
        case "create":
            try call.show(
                .post, ["backends"],
                body: [
                    ("name", .text(call.first)), ("version", .text(call.names[1])), ("realm", call.text("--realm")),
                ])
        case "enable", "disable":
            try call.send(.patch, backend, body: [(try member(call.names[2]), .flag(call.action == "enable"))])
        case "add-route": try call.send(.post, backend + ["routes"], body: [("route", .text(call.names[2]))])
        case "remove-route": try call.send(.delete, backend + ["routes", call.names[2]])
        default: break
        }
    }

    private static func member(_ name: String) throws(ExitStatus) -> String {
        switch name {
        case "oauth": return "oauthConsumer"
        case "basic": return "httpBasic"
        case "sso": return "enableSso"
        default:
            throw .misuse("unknown method \(name); expected oauth, basic or sso")
        }
    }
}

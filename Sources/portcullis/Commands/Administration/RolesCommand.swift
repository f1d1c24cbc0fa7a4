import Bytes
import HTTP

/// `portcullis roles`: the role catalogue (ROLE-04, UPS-05).
enum RolesCommand: Command {
    static let name = "roles"
    static let summary = "add, describe, list and remove roles"
    static let help = """
        usage: portcullis roles list WHERE
               portcullis roles add NAME [--description TEXT] WHERE
               portcullis roles describe NAME [--description TEXT] WHERE
               portcullis roles remove NAME WHERE

        --description  what the role is for

        Only roles of the catalogue are granted. A role that a route, a user or a rule names cannot be removed.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        let description = call.text("--description")
        switch call.action {
        case "list": try call.show(.get, ["roles"])
        case "add":
            try call.send(.post, ["roles"], body: [("name", .text(call.first)), ("description", description)])
        case "describe":
            try call.send(.patch, ["roles", call.first], body: [("description", description ?? JSONNode(.null))])
        default: try call.send(.delete, ["roles", call.first])
        }
    }
}

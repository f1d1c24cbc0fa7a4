import Bytes
import HTTP

/// `portcullis realms`: the realms of users and clients.
enum RealmsCommand: Command {
    static let name = "realms"
    static let summary = "add, list and remove realms"
    static let help = """
        usage: portcullis realms list WHERE
               portcullis realms add NAME WHERE
               portcullis realms remove NAME WHERE

        Users log in at clients of their own realm. Without realms.json any name is a realm. The first `add` creates
        the file with the realms in use; from then on users and clients must name one of its realms. A realm with users
        or clients cannot be removed.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        switch call.action {
        case "list": try call.show(.get, ["realms"])
        case "add": try call.send(.post, ["realms"], body: [("name", .text(call.first))])
        default: try call.send(.delete, ["realms", call.first])
        }
    }
}

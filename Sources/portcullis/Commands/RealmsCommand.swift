import Bytes
import Configuration
import Gateway
import HTTP

/// `portcullis realms`: whose users log in where (MBE-10).
enum RealmsCommand: Command {
    static let name = "realms"
    static let summary = "add, list and remove realms"
    static let help = """
        usage: portcullis realms list WHERE
               portcullis realms add NAME WHERE
               portcullis realms remove NAME WHERE

        Users log in through backends of their own realm. Without realms.json any name is a realm; the first `add` makes
        the file, with the realms that are in use, and from then on users and backends must name one of its realms. A
        realm that has users or backends is not removed.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(
            arguments, of: self, ["list": .init(0...0), "add": .init(1...1), "remove": .init(1...1)])
        switch call.action {
        case "list": AdminTarget.show(try call.target.perform(.command(.get, ["realms"])))
        case "add": try call.target.perform(.command(.post, ["realms"], [], [("name", .text(call.first))]))
        default: try call.target.perform(.command(.delete, ["realms", call.first]))
        }
    }
}

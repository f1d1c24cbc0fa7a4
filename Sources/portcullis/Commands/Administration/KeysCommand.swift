import Bytes
import Declaration
import HTTP

/// `portcullis keys`: API keys of consumers.
enum KeysCommand: Command {
    static let name = "keys"
    static let summary = "add, list, rotate and revoke API keys of consumers"
    static let help = """
        usage: portcullis keys list WHERE
               portcullis keys add CONSUMER [--expires DURATION] WHERE
               portcullis keys rotate CONSUMER [--overlap DURATION] [--expires DURATION] WHERE
               portcullis keys revoke CONSUMER ID WHERE

        list    prints the consumers with the ids and dates of their keys, from the files. Through `--admin`, a key that another
                gateway has revoked is "withdrawn"
        add     makes a key and prints it, this once; `consumers.json` keeps its digest. A consumer that does not exist is
                added without roles
        rotate  makes a key and prints it; the other keys of the consumer expire after the overlap, and those that have
                expired are removed
        revoke  removes a key

        --expires  how long the new key is good, such as 90d or 12h (default: until it is revoked)
        --overlap  how long the other keys stay good (default: 24h)

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        for option in ["--expires", "--overlap"] {
            let problem = call.arguments[option].flatMap {
                Quantity.problem(ofLifetime: $0, isValidity: option == "--expires")
            }
            if let problem { throw .misuse("\(option) is \(problem)") }
        }
        let consumer = ["consumers", call.first]
        switch call.action {
        case "list": try call.show(.get, ["consumers"])
        case "add": try call.show(.post, consumer + ["keys"], body: [("expiresIn", call.text("--expires"))])
        case "rotate":
            try call.show(
                .post, consumer + ["rotate"],
                body: [("expiresIn", call.text("--expires")), ("overlap", call.text("--overlap"))])
        default: try call.send(.delete, consumer + ["keys", call.names[1]])
        }
    }
}

import HTTP

/// `portcullis devices`: the devices that are registered at a running gateway (OMS-15, OMS-16).
enum DevicesCommand: Command {
    static let name = "devices"
    static let summary = "list and wipe registered devices"
    static let help = """
        usage: portcullis devices list [--subject NAME] [--limit COUNT] WHERE
               portcullis devices wipe ID WHERE

        list  prints devices with their applications and attributes, newest first, without handles
        wipe  revokes all handles, sessions and tokens of a device, by the id of one of its registrations. A request with
              one of its handles is answered with the order to wipe. For domains with "securityHandler": "oaam"

        --subject  devices of this user only
        --limit    how many (default: 100)

        Only a running gateway knows the devices.

        \(RunningGateway.whereHelp)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self, needsGateway: ["list", "wipe"])
        switch call.action {
        case "list":
            try call.show(.get, ["devices"], query: ["subject", "limit"].map { ($0, call.arguments["--\($0)"]) })
        default: try call.show(.post, ["devices", call.first, "wipe"])
        }
    }
}

import Configuration
import Gateway
import HTTP

/// `portcullis devices`: those that have registered at a running gateway (OMS-15, OMS-16).
enum DevicesCommand: Command {
    static let name = "devices"
    static let summary = "list and wipe devices that have registered"
    static let help = """
        usage: portcullis devices list [--subject NAME] [--limit COUNT] WHERE
               portcullis devices wipe ID WHERE

        list  devices with their applications and what they tell of themselves, newest first; never a handle
        wipe  ends all handles, sessions and tokens of a device, by the id of one of its registrations. Whoever comes with
              one of its handles is told to wipe the device. For domains with "securityHandler": "oaam"

        Devices are kept by a running gateway, and nowhere else.

        \(AdminTarget.gatewayHelp)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(
            arguments, of: self, ["list": .init(0...0, options: ["--subject", "--limit"]), "wipe": .init(1...1)])
        switch call.action {
        case "list":
            let selection = ["subject", "limit"].map { ($0, call.arguments["--\($0)"]) }
            AdminTarget.show(try call.target.perform(.command(.get, ["devices"], selection)))
        default:
            AdminTarget.show(try call.target.perform(.command(.post, ["devices", call.first, "wipe"])))
        }
    }
}

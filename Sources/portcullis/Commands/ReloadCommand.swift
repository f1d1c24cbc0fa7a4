import Gateway
import HTTP

/// `portcullis reload`: a running gateway reads its configuration again (GW-11).
enum ReloadCommand: Command {
    static let name = "reload"
    static let summary = "let a running gateway read its configuration again"
    static let help = """
        usage: portcullis reload --admin URL [--admin-token-file FILE]
               portcullis reload --config DIR [--admin-token-file FILE]

        Ends when every worker of the gateway acts by the new configuration. A bad configuration is refused: its errors
        are printed, and the last good one stays in force. SIGHUP does the same without an answer.

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status: 0 in force, 1 refused or not reached

        example: portcullis reload --config /etc/portcullis
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: AdminTarget.options, flags: [])
        let client = try RunningGateway.client(arguments, needsToken: true)
        try AdminTarget.gateway(client).perform(
            .command(.post, ["reload"]), consequence: "", success: 204)
    }
}

import Gateway
import HTTP

/// `portcullis reload`: reloads the configuration of a running gateway (GW-11).
enum ReloadCommand: Command {
    static let name = "reload"
    static let summary = "reload the configuration of a running gateway"
    static let help = """
        usage: portcullis reload --admin URL [--admin-token-file FILE]
               portcullis reload --config DIR [--admin-token-file FILE]

        Returns when every worker of the gateway uses the new configuration. An invalid configuration is refused: its
        errors are printed, and the active one is kept. Changed settings that need a restart are named. SIGHUP does the
        same without a response.

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status: 0 reloaded, 1 refused or unreachable

        example: portcullis reload --config /etc/portcullis
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let client = try RunningGateway.client(arguments, needsToken: true)
        try AdminTarget.gateway(client).perform(.command(.post, ["reload"]), consequence: "", success: 204)
    }
}

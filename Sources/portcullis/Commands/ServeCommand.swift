import Configuration
import Foundation
import Gateway
import Identity
import Issuers
import Model
import Reactor

/// `portcullis serve`: the gateway.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run the gateway"
    static let help = """
        usage: portcullis serve DIR
               portcullis serve --config DIR

        Runs the gateway with the configuration in DIR. Writes events, such as its listeners, as JSON lines to standard
        error, and the access log to `log.access` (default: standard output).

        SIGTERM, SIGINT  finish active requests (at most `limits.drainTimeout`) and exit
        SIGHUP           reload the configuration; an invalid one is rejected and the active one is kept
        SIGUSR1          reopen the log file
        SIGUSR2          start a new process with the listening sockets and exit once it serves; if it fails, keep serving

        PORTCULLIS_ENGINE  epoll or io_uring, if `engine` is auto or missing
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config"], flags: [])
        try GatewayProcess(directory: arguments.directory(of: self)).run()
    }
}

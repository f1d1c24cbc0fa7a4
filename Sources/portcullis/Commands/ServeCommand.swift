import Configuration
import Foundation
import Gateway
import Identity
import Issuers
import Reactor

/// `portcullis serve`: the gateway.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run the gateway"
    static let help = """
        usage: portcullis serve DIR
               portcullis serve --config DIR

        Runs the gateway with the configuration in DIR. Says on standard error, a JSON line each, what it listens on and
        what happens; the access log goes where `log.access` says (standard output by default).

        SIGTERM, SIGINT  finish requests under way (`limits.drainTimeout`), then end
        SIGHUP           read the configuration again; a bad one is refused and the last good one stays
        SIGUSR1          open the log file anew
        SIGUSR2          hand the listening sockets to a new process of the program, and finish once that one serves; if
                         it fails, go on

        PORTCULLIS_ENGINE  epoll or io_uring, where `engine` is auto or missing
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config"], flags: [])
        let directories = arguments.positional + (arguments["--config"].map { [$0] } ?? [])
        guard let directory = directories.first, directories.count == 1 else {
            throw Arguments.complaint("one directory is served: serve --config DIR")
        }
        try GatewayProcess(directory: directory).run()
    }
}

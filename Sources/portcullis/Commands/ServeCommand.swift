import Glibc
import Reactor

/// `portcullis serve`: the gateway.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run the gateway"
    static let help = """
        usage: portcullis serve DIR [--insecure] [--json]
               portcullis serve --config DIR [--insecure] [--json]

        Runs the gateway with the configuration in DIR. Writes events, such as its listeners, as JSON lines to standard
        error, and the access log to `log.access` (default: standard output). A terminal gets both as text.

        Refuses a configuration that other machines reach and that is obviously insecure: with secrets of the sample
        configuration, or with servers elsewhere whose certificates are not verified.

        --config         the configuration, as the first argument
        --insecure       serve it all the same, as with PORTCULLIS_INSECURE=1
        --json           log JSON on a terminal too

        SIGTERM, SIGINT  finish active requests (at most `limits.drainTimeout`) and exit
        SIGHUP           reload the configuration; an invalid one is refused and the active one is kept
        SIGUSR1          reopen the log file
        SIGUSR2          start a new process with the listening sockets and exit once it serves; if it fails, keep serving

        PORTCULLIS_ENGINE  epoll or io_uring, if `engine` is auto or missing
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let isForced = arguments.has("--insecure") || Environment.values["PORTCULLIS_INSECURE"] == "1"
        let options = ServeOptions(acceptsInsecure: isForced, logsJSON: arguments.has("--json"))
        try GatewayProcess(directory: arguments.directory(of: self), options: options).run()
    }
}

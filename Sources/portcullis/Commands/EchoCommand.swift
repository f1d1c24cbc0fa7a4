import Gateway
import Reactor

/// `portcullis echo`: the sample upstream.
enum EchoCommand: Command {
    static let name = "echo"
    static let summary = "run the sample upstream, which echoes requests"
    static let help = """
        usage: portcullis echo [--listen ADDRESS:PORT] [--threads N] [--json]

        Responds to every request with its method, path, query and header fields, in the order received, the length of its
        body and the number of requests so far, as JSON.

        --listen   address and port (default: 127.0.0.1:9000)
        --threads  number of threads (default: 1)
        --json     log JSON on a terminal too

        /_echo/count          the number of requests as text; not counted itself
        /_echo/debug_token    a social provider's response for the token ?input_token=; one that begins with "fb-" is valid
        ?delay=MILLISECONDS   delays the response (the path /slow: 5 s)
        ?bytes=COUNT          responds with a body of COUNT bytes
        ?status=CODE          responds with the status CODE
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let address = try arguments.listening("127.0.0.1:9000")
        guard let threads = Int(arguments["--threads"] ?? "1"), (1...64).contains(threads) else {
            throw .misuse("--threads is not a number from 1 to 64: \(arguments["--threads"] ?? "")")
        }
        try ExitStatus.system(
            address.description, try serve(address, threads: threads, asJSON: arguments.has("--json")))
    }

    private static func serve(_ address: SocketAddress, threads: Int, asJSON: Bool) throws(KernelError) {
        let signals = try Signals()
        _ = ProcessLimits.raiseOpenFiles()
        let counter = EchoServer.Counter()
        let log = EventLog(LogWriter(.errors, asJSON: asJSON))
        try BoundListener.checkFree(address)
        var bound = address
        for number in 0..<threads {
            let box = BoundListenerBox(try BoundListener(bound), id: 0)
            bound = box.address
            _ = WorkerThread(name: "echo-\(number)") {
                guard let listener = box.take() else { return }
                do throws(KernelError) {
                    try EchoServer(listener, counter: counter).run()
                } catch {
                    log.write(.workerFailed, [("detail", .text(error.text))])
                }
            }
        }
        log.write(.listening, [("listener", .text("echo")), ("address", .text(bound.description))])
        while true {
            if case .terminate = signals.next() { break }
        }
        log.write(.stopped, [("requests", .number(counter.current))])
        log.flush()
    }
}

extension SocketAddress {
    /// - Parameter place: `127.0.0.1:9000` or `[::1]:9000`.
    init?(place: String) {
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]) else {
            return nil
        }
        var host = String(place[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self.init(literal: host, port: port)
    }
}

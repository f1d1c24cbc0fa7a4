import Foundation
import Gateway
import Reactor

/// `portcullis echo`: the sample upstream.
enum EchoCommand: Command {
    static let name = "echo"
    static let summary = "run the sample upstream, which answers with what it received"
    static let help = """
        usage: portcullis echo [--listen ADDRESS:PORT] [--threads N]

        Answers every request with its method, path, query and header fields as JSON, in the order received, with the
        length of the body and the number of requests so far. Listens on 127.0.0.1:9000 with one thread by default.

        /_echo/count          that number alone, as text; not counted itself
        /_echo/debug_token    what Facebook would say of the token ?input_token=; one that begins with "fb-" is good
        ?delay=MILLISECONDS   the answer comes so much later (the path /slow: 5 s)
        ?bytes=COUNT          a body of so many bytes instead
        ?status=CODE          that status
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--listen", "--threads"], flags: [])
        guard arguments.positional.isEmpty,
            let address = SocketAddress(place: arguments["--listen"] ?? "127.0.0.1:9000"),
            let threads = Int(arguments["--threads"] ?? "1"), (1...64).contains(threads)
        else {
            Terminal.complain("usage: portcullis echo [--listen ADDRESS:PORT] [--threads N]")
            throw .usage
        }
        do throws(KernelError) {
            try serve(address, threads: threads)
        } catch {
            Terminal.complain("portcullis: \(address.description): \(error.text)")
            throw .failed
        }
    }

    private static func serve(_ address: SocketAddress, threads: Int) throws(KernelError) {
        let signals = try Signals()
        _ = ProcessLimits.raiseOpenFiles()
        let counter = EchoServer.Counter()
        let log = EventLog(LogWriter(.standardError))
        try BoundListener.checkFree(address)
        var wanted = address
        for number in 0..<threads {
            let box = BoundListenerBox(try BoundListener(wanted), id: 0)
            wanted = box.address
            _ = WorkerThread(name: "echo-\(number)") {
                guard let listener = box.take() else { return }
                do throws(KernelError) {
                    try EchoServer(listener, counter: counter).run()
                } catch {
                    log.write("worker_failed", [("error", .text(error.text))])
                }
            }
        }
        log.write("listening", [("listener", .text("echo")), ("address", .text(wanted.description))])
        while true {
            if case .terminate = signals.next() { break }
        }
        log.write("stopped", [("requests", .number(counter.current))])
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

#if Client
    import Bytes
    import Glibc
    import ClientStore
    import PortcullisClient
    import Reactor
    import Synchronization

    /// `client agent`: one login for all applications of a circle of trust on this machine (AGT-04).
    struct ClientAgent {
        private static let defaultSeconds = 28_800

        private let names: Set<String>
        private let seconds: Int
        private let place: ClientFiles

        /// - Throws: `.usage` after printing what is wrong.
        init(_ arguments: Arguments, _ place: ClientFiles) throws(ExitStatus) {
            names = Set((arguments["--app"] ?? "").split(separator: ",").map(String.init))
            guard !names.isEmpty else { throw .misuse("agent needs --app: the applications that it logs in for") }
            let seconds = arguments["--for"].map { Decimal.parse(Array($0.utf8).span) } ?? ClientAgent.defaultSeconds
            guard let seconds, (1...2_592_000).contains(seconds) else {
                throw .misuse("--for is not a number of seconds from 1 to 2592000: \(arguments["--for"] ?? "")")
            }
            self.seconds = seconds
            self.place = place
        }

        func run() throws(ExitStatus) {
            // Before threads start, so that they inherit the blocked signals.
            let signals = try? Signals()
            // Reports an unusable profile now rather than at the first request.
            let client = try place.client()
            guard client.profile.serviceDomain != nil, client.profile.appName != nil else {
                throw .failure("/serviceDomain or /appName is missing in the profile")
            }
            let path = place.agentSocket
            let server = try ExitStatus.client(AgentServer(path: path))
            if client.authenticationContext?.method != .mobile {
                Terminal.printError("portcullis: no login by oam yet; use `portcullis client login`")
            }
            Terminal.printError("the agent listens at \(path) for \(seconds) s")
            if let signals { ClientAgent.endAtSignal(signals, server) }
            defer { server.removeFile() }
            try ExitStatus.client(
                server.run(
                    milliseconds: Int64(seconds) * 1000, SSOAgent(applications: names),
                    client: { () throws(ClientError) in try place.load() }, report: ClientAgent.report))
        }

        private static func endAtSignal(_ signals: consuming Signals, _ server: AgentServer) {
            let held = Mutex<Signals?>(signals)
            WorkerThread.detached(name: "signals") {
                guard let signals = held.withLock({ $0.take() }) else { return }
                while true {
                    if case .terminate = signals.next() { break }
                }
                server.removeFile()
                exit(ExitStatus.done.rawValue)
            }
        }

        /// Prints a request and its outcome, without control characters.
        private static func report(_ record: SSOAgent.Record) {
            let name = record.request.map { "\($0.application) at \($0.resource.prefix { $0 != "?" })" } ?? "no request"
            let outcome = record.refusal.map { "refused, \($0.rawValue)" } ?? "given a token"
            let problem = record.problem.map { ": \($0.description)" } ?? ""
            let line = "\(outcome): \(name)\(problem)".unicodeScalars.map {
                $0.value < 32 || $0.value == 127 ? " " : $0
            }
            Terminal.printError(String(String.UnicodeScalarView(line)))
        }
    }
#endif

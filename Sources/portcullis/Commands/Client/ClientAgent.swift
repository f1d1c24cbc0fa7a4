import Bytes
import Foundation
import PortcullisClient
import Reactor
import Synchronization

/// `client agent`: logs in once for all applications of a circle of trust on this machine (AGT-04).
enum ClientAgent {
    private static let standardSeconds = 28_800

    static func run(_ arguments: Arguments, _ place: ClientPlace) throws(ExitStatus) {
        let names = Set((arguments["--app"] ?? "").split(separator: ",").map(String.init))
        let seconds = arguments["--for"].map { Decimal.parse(Array($0.utf8).span) } ?? standardSeconds
        guard !names.isEmpty, let seconds, (1...2_592_000).contains(seconds) else { throw ClientCommand.usage() }
        // Before there are threads, all of which have the signals blocked then.
        let signals = try? Signals()
        // A profile that cannot be used is told now, and not to the first program that asks.
        let client = try place.client()
        guard client.profile.serviceDomain != nil, client.profile.appName != nil else {
            Terminal.complain("portcullis: /serviceDomain or /appName is missing in the profile")
            throw .failed
        }
        let path = place.agentSocket
        let server = try ExitStatus.rethrowing { () throws(ClientError) in try AgentServer(path: path) }
        if client.authenticationContext?.method != .mobile {
            Terminal.complain("portcullis: nobody is logged in by oam yet; portcullis client login")
        }
        Terminal.complain("the agent listens at \(path) for \(seconds) s")
        if let signals { endAtSignal(signals, server) }
        defer { server.removeFile() }
        try ExitStatus.rethrowing { () throws(ClientError) in
            try server.run(
                milliseconds: Int64(seconds) * 1000, SSOAgent(applications: names),
                client: { () throws(ClientError) in try place.load() }, report: report)
        }
    }

    private static func endAtSignal(_ signals: consuming Signals, _ server: AgentServer) {
        let held = Mutex<Signals?>(signals)
        Thread.detachNewThread {
            guard let signals = held.withLock({ $0.take() }) else { return }
            while true {
                if case .terminate = signals.next() { break }
            }
            server.removeFile()
            exit(ExitStatus.done.rawValue)
        }
    }

    /// Whoever has started the agent sees who got what for whom.
    private static func report(_ record: SSOAgent.Record) {
        let name = record.request.map { "\($0.application) at \($0.resource.prefix { $0 != "?" })" } ?? "no request"
        let outcome = record.refusal.map { "refused, \($0.rawValue)" } ?? "given a token"
        let why = record.problem.map { ": \($0.description)" } ?? ""
        let line = "\(outcome): \(name)\(why)".unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
        Terminal.complain(String(String.UnicodeScalarView(line)))
    }
}

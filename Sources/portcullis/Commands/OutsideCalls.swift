import Gateway
import Identity
import Issuers
import Reactor
import Tokens

/// An event loop for a command that calls other servers: what the gateway does with all of its own, and nothing listens.
struct OutsideCalls {
    private let shared: SharedState
    private let plane: DataPlane

    /// - Throws: `.failed` after saying what is wrong.
    init(_ reading: Assembly.Reading) throws(ExitStatus) {
        do throws(KernelError) {
            try self.init(starting: reading)
        } catch {
            Terminal.complain("portcullis: \(error.text)")
            throw .failed
        }
    }

    private init(starting reading: Assembly.Reading) throws(KernelError) {
        let lasting = reading.lasting
        let log = EventLog(LogWriter(.standardError))
        // A command keeps nothing and revokes nothing.
        let tokens = RevocationFollower(
            MemoryTokenStore(), list: lasting.revocations, isShared: false, log: log, now: Clock.monotonicMilliseconds)
        shared = try SharedState(
            settings: SharedState.Settings(), workers: 1, adminListeners: [],
            issuedTokens: IssuedTokenStore(maximumEntries: 1, timing: TokenTiming(skewSeconds: 30)),
            tokens: tokens, outbound: lasting.outbound, log: log)
        plane = try DataPlane(shared: shared, snapshot: reading.snapshot, listeners: [[]])
    }

    func end() {
        shared.drain()
        plane.join()
        shared.log.flush()
    }
}

extension Effect {
    /// The value, waited for on this thread: for commands, which have nothing else to do.
    func waited() -> Value {
        switch self {
        case .done(let value): return value
        case .offload(let work), .hash(let work): return work().waited()
        case .await(let begin):
            let answer = Answer<Effect<Value>>()
            begin { answer.put($0) }
            return answer.take().waited()
        }
    }
}

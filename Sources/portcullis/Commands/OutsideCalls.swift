import Gateway
import Identity
import Issuers
import Outbound
import Reactor
import TokenStorage

/// The data plane of a gateway without listeners, for a command that calls other servers.
struct OutsideCalls {
    private let shared: SharedState
    private let plane: DataPlane

    /// - Throws: `.failed` after printing what is wrong.
    init(_ reading: Assembly.Reading) throws(ExitStatus) {
        let retained = reading.retained
        let log = retained.log
        let tokens = RevocationFollower(
            MemoryTokenStore(), list: retained.revocations, isShared: false, log: log, now: Clock.monotonicMilliseconds)
        var settings = SharedState.Settings()
        // A command needs the keys of one issuer at most.
        settings.fetchesAhead = false
        do throws(KernelError) {
            shared = try SharedState(
                settings: settings, workers: 1, adminListeners: [],
                issuedTokens: IssuedTokenStore(maximumEntries: 1, timing: TokenTiming(skewSeconds: 30)),
                tokens: tokens, outbound: retained.outbound, log: log)
            plane = try DataPlane(shared: shared, snapshot: reading.snapshot, listeners: [[]])
        } catch {
            throw .failure(error.text)
        }
    }

    func end() {
        shared.drain()
        plane.join()
        shared.log.flush()
    }
}

extension Effect {
    /// Blocks this thread until the value is there.
    func waited() -> Value {
        switch self {
        case .done(let value): return value
        case .offload(let work), .hash(_, let work): return work().waited()
        case .await(let begin):
            let next = Promise<Effect<Value>>()
            begin { next.fulfill($0) }
            return next.wait().waited()
        }
    }
}

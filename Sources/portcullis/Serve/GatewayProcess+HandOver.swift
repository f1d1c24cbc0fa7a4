import Foundation
import Gateway
import Identity
import Reactor
import Synchronization

/// The end of a process, alone or for the sake of a successor.
extension GatewayProcess {
    enum Stage {
        case serving
        /// A successor is on its way. It has a number as soon as it was started.
        case handingOver(successor: Int32?)
        /// The workers drain.
        case ending
    }

    /// How long a successor may take until it serves.
    fileprivate static let successorMilliseconds = 30_000

    var isEnding: Bool {
        stage.withLock { if case .ending = $0 { true } else { false } }
    }

    /// Somebody wants the service to end: a successor on its way is told the same.
    func terminate(_ shared: SharedState) {
        let old = stage.withLock { stage in
            defer { stage = .ending }
            return stage
        }
        switch old {
        case .serving: service.stopping()
        case .handingOver(let successor):
            service.stopping()
            if let successor { _ = kill(successor, SIGTERM) }
        case .ending: break
        }
        end(shared, keepingIdle: false)
    }

    private func end(_ shared: SharedState, keepingIdle: Bool) {
        copies.withLock { $0 = [] }
        log.write("draining")
        shared.drain(keepingIdle: keepingIdle)
    }

    /// Starts a successor, on a thread of its own; one at a time.
    func beginHandOver(_ shared: SharedState) {
        let forgotten = wouldForget(shared)
        let obstacle: String? = stage.withLock { stage in
            switch stage {
            case .serving:
                if let forgotten { return forgotten }
                stage = .handingOver(successor: nil)
                return nil
            case .handingOver: return "a successor is on its way"
            case .ending: return "this process is draining"
            }
        }
        if let obstacle { return log.write("handover_ignored", [("reason", .text(obstacle))]) }
        // That of an earlier one, which has failed, is at its end.
        finishHandOver()
        let thread = WorkerThread(name: "hand-over") { [self] in handOver(shared) }
        handOverThread.withLock { $0 = thread }
    }

    /// Why a successor would accept what was revoked here; nil where it would not. A store in memory ends with its
    /// process, and what is denied there with it.
    private func wouldForget(_ shared: SharedState) -> String? {
        guard lasting.store.opened?.endsWithProcess == true else { return nil }
        shared.revocations.prune(now: Clock.wallSeconds)
        let count = shared.revocations.count
        guard count > 0 else { return nil }
        return "store.kind is memory, and a successor would accept revoked tokens again (\(count) entries of the "
            + "deny list); use a store of the kind sqlite or redis"
    }

    /// Waits for the thread of a hand-over. When the workers have ended, one may be under way: a successor that was
    /// started, and has not been told to end yet, would be left behind with the listening sockets.
    func finishHandOver() {
        handOverThread.withLock { $0.take() }?.join()
    }

    private func handOver(_ shared: SharedState) {
        service.reloading()
        do throws(SuccessorError) {
            let successor = try Successor(
                arguments: CommandLine.arguments, listeners: copies.withLock { $0 })
            let processID = successor.processID
            log.write("handing_over", [("successor", .number(Int(processID)))])
            guard advance(to: .handingOver(successor: processID)) else {
                // Told to end in between.
                _ = kill(processID, SIGTERM)
                return
            }
            try successor.waitUntilReady(milliseconds: GatewayProcess.successorMilliseconds)
            // What is revoked here from now on is not acknowledged: the successor would not hear of it.
            if lasting.store.opened?.endsWithProcess == true { shared.tokens.forsake() }
            if let forgotten = wouldForget(shared) {
                shared.tokens.forsake(false)
                _ = kill(processID, SIGTERM)
                guard advance(to: .serving) else { return }
                log.write("handover_failed", [("reason", .text(forgotten))])
                service.ready()
                return
            }
            guard advance(to: .ending) else { return }
            log.write("handed_over", [("successor", .number(Int(processID)))])
            service.handedOver(to: processID)
            end(shared, keepingIdle: true)
        } catch {
            guard advance(to: .serving) else { return }
            log.write("handover_failed", [("reason", .text(error.text))])
            service.ready()
        }
    }

    /// Answers false where this process was told to end, which nothing turns back.
    private func advance(to next: Stage) -> Bool {
        stage.withLock { stage in
            if case .ending = stage { return false }
            stage = next
            return true
        }
    }
}

extension SuccessorError {
    fileprivate var text: String {
        switch self {
        case .noExecutable: "there is no program to start"
        case .notStarted(let error): "the program cannot be started: \(error.text)"
        case .ended(let code) where code > 128: "the successor was ended by signal \(code - 128) before it served"
        case .ended(let code): "the successor ended with status \(code) before it served"
        case .late: "the successor did not serve within \(GatewayProcess.successorMilliseconds / 1000) seconds"
        }
    }
}

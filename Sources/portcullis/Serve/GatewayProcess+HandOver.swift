import Configuration
import Gateway
import Glibc
import Identity
import Reactor
import Synchronization

/// Shutdown and hand-over to a successor.
extension GatewayProcess {
    enum Stage {
        case serving
        /// A successor is starting. Its process id is known once it runs.
        case handingOver(successor: Int32?)
        /// The workers drain.
        case ending
    }

    /// How long a successor may take until it serves.
    fileprivate static let successorMilliseconds = 30_000

    var isEnding: Bool {
        stage.withLock { if case .ending = $0 { true } else { false } }
    }

    /// Shuts the service down, including a successor that is starting.
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
        retained.certificates.end()
        log.write(.draining)
        shared.drain(keepingIdle: keepingIdle)
    }

    /// Starts a successor on a thread of its own, one at a time.
    func beginHandOver(_ shared: SharedState) {
        let lostRevocations = lostRevocations(shared)
        let obstacle: String? = stage.withLock { stage in
            switch stage {
            case .serving:
                if let lostRevocations { return lostRevocations }
                stage = .handingOver(successor: nil)
                return nil
            case .handingOver: return "a successor is starting"
            case .ending: return "this process is draining"
            }
        }
        if let obstacle { return log.write(.handoverIgnored, [("reason", .text(obstacle))]) }
        // Joins the thread of an earlier hand-over, which has failed.
        finishHandOver()
        let thread = WorkerThread(name: "hand-over") { [self] in handOver(shared) }
        handOverThread.withLock { $0 = thread }
    }

    /// The message that a successor would accept revoked tokens, since a store in memory ends with its process; nil if it
    /// would not.
    private func lostRevocations(_ shared: SharedState) -> String? {
        guard retained.store.opened?.endsWithProcess == true else { return nil }
        shared.revocations.prune(now: Clock.wallSeconds)
        let count = shared.revocations.count
        guard count > 0 else { return nil }
        return "store.kind is memory, and a successor would accept revoked tokens again (\(count) entries of the "
            + "deny list); use a store of the kind \(StoreKinds.names { $0 != .process })"
    }

    /// Waits for the thread of a hand-over. Otherwise a successor that was started meanwhile would outlive this process
    /// with the listening sockets.
    func finishHandOver() {
        handOverThread.withLock { $0.take() }?.join()
    }

    private func handOver(_ shared: SharedState) {
        service.reloading()
        do throws(SuccessorError) {
            let successor = try Successor(
                arguments: ProcessArguments.all, listeners: copies.withLock { $0 })
            let processID = successor.processID
            log.write(.handingOver, [("successor", .number(Int(processID)))])
            guard advance(to: .handingOver(successor: processID)) else {
                // The process has begun to end meanwhile.
                _ = kill(processID, SIGTERM)
                return
            }
            try successor.waitUntilReady(milliseconds: GatewayProcess.successorMilliseconds)
            // The successor would not know of further revocations in memory, so that these fail from now on.
            if retained.store.opened?.endsWithProcess == true { shared.tokens.forsake() }
            if let lostRevocations = lostRevocations(shared) {
                shared.tokens.forsake(false)
                _ = kill(processID, SIGTERM)
                guard advance(to: .serving) else { return }
                log.write(.handoverFailed, [("reason", .text(lostRevocations))])
                service.ready()
                return
            }
            guard advance(to: .ending) else { return }
            log.write(.handedOver, [("successor", .number(Int(processID)))])
            service.handedOver(to: processID)
            end(shared, keepingIdle: true)
        } catch {
            guard advance(to: .serving) else { return }
            log.write(.handoverFailed, [("reason", .text(error.text))])
            service.ready()
        }
    }

    /// Returns false if this process is ending, which is final.
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

import Endpoints
import Gateway
import JOSE
import Reactor

/// Rotation of the signing keys of a running gateway.
extension GatewayProcess {
    /// The longest time until a change by another process is noticed. `TokenServiceSection` allows for it.
    private var longestMilliseconds: Int64 { retained.signingKeys.adopted?.files.sharedKeys == nil ? 10_000 : 2000 }
    private static let signingKeyQueue = SerialQueue(label: "portcullis.signing-keys")

    /// Rotates the keys by schedule, and reloads after changes by other processes, until the process ends.
    /// - Parameter hasFailed: whether the last change or reload has failed.
    func rotateSigningKeys(_ shared: SharedState, hasFailed: Bool = false) {
        let delay = hasFailed ? longestMilliseconds : millisecondsToNextKeys
        GatewayProcess.signingKeyQueue.submit(afterMilliseconds: Int(delay)) { [weak self, weak shared] in
            guard let self, let shared, !isEnding else { return }
            let isFollowing = takeStoredKeys()
            let isNew = retained.signingKeys.hasNewIndex()
            guard isNew || isFollowing && isChangeDue else { return rotateSigningKeys(shared, hasFailed: !isFollowing) }
            let isAccepted = configurationThread.submit { [self, weak shared] in
                guard let shared, !isEnding else { return }
                let outcome = isNew ? .changed : advance()
                let answer = outcome == .changed ? reload(shared) : nil
                rotateSigningKeys(shared, hasFailed: outcome == .failed || answer.map { $0.status != 204 } ?? false)
            }
            if !isAccepted { rotateSigningKeys(shared, hasFailed: true) }
        }
    }

    private var isChangeDue: Bool {
        retained.signingKeys.adopted?.nextChange.map { $0 <= Clock.wallSeconds } ?? false
    }

    private var millisecondsToNextKeys: Int64 {
        guard let next = retained.signingKeys.adopted?.nextChange else { return longestMilliseconds }
        return max(1000, min(longestMilliseconds, next * 1000 - Clock.wallMilliseconds))
    }

    /// Takes over changes that other gateways have made in the store.
    /// - Returns: false after a failure.
    private func takeStoredKeys() -> Bool {
        guard let files = retained.signingKeys.adopted?.files else { return true }
        do throws(KeyFileError) {
            try files.followStore(now: Clock.wallSeconds)
            _ = retained.signingKeys.note(failure: nil, of: .following)
            return true
        } catch {
            logFailure(error.message, of: .following)
            return false
        }
    }

    private func logFailure(_ failure: String, of task: RetainedSigningKeys.KeyTask) {
        guard retained.signingKeys.note(failure: failure, of: task) else { return }
        log.write(.signingKeysFailed, [("detail", .text(failure))])
    }

    private enum Advance {
        case unchanged
        case changed
        case failed
    }

    /// Makes the changes that are due, unless another process has made them.
    private func advance() -> Advance {
        guard let known = retained.signingKeys.adopted else { return .unchanged }
        let now = Clock.wallSeconds
        do throws(AdminFailure) {
            let changes = try known.files.change(now: now) { (index, make) throws(AdminFailure) in
                guard let next = known.terms.nextStep(of: index), next.at <= now else {
                    return [] as [(event: LogEvent, keyID: String)]
                }
                switch next.step {
                case .removeEnded: return index.removeEnded(now: now).map { (.signingKeyRemoved, $0.keyID) }
                case .publish:
                    let key = try make()
                    try AdminFailure.wrapping { () throws(SigningKeyError) in try index.publish(key) }
                    return [(.signingKeyPublished, key.keyID)]
                case .promote:
                    try AdminFailure.wrapping { () throws(SigningKeyError) in
                        try index.promote(known.terms, now: now)
                    }
                    return [(.signingKeyActivated, index.active.keyID)]
                }
            }
            _ = retained.signingKeys.note(failure: nil, of: .rotating)
            for change in changes { log.write(change.event, [("kid", .text(change.keyID))]) }
        } catch {
            // Another gateway was first: its change is followed.
            if case .changedMeanwhile = error { return .unchanged }
            logFailure(error.detail, of: .rotating)
            return .failed
        }
        return known.isOutdated ? .changed : .unchanged
    }
}

import Endpoints
import Gateway
import JOSE
import Reactor

/// Rotation of the signing keys of a running gateway.
extension GatewayProcess {
    /// The longest time until a change by another process is noticed. `TokenServiceSection` allows for it.
    private var longestMilliseconds: Int64 {
        retained.signingKeys.adopted.contains { $0.files.sharedKeys != nil } ? 2000 : 10_000
    }
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
                let outcome = isNew ? .changed : retained.signingKeys.adopted.map(advance).max() ?? .unchanged
                let answer = outcome == .changed ? reload(shared) : nil
                rotateSigningKeys(shared, hasFailed: outcome == .failed || answer.map { $0.status != 204 } ?? false)
            }
            if !isAccepted { rotateSigningKeys(shared, hasFailed: true) }
        }
    }

    private var nextChange: Int64? { retained.signingKeys.adopted.compactMap(\.nextChange).min() }

    private var isChangeDue: Bool {
        nextChange.map { $0 <= Clock.wallSeconds } ?? false
    }

    private var millisecondsToNextKeys: Int64 {
        guard let next = nextChange else { return longestMilliseconds }
        return max(1000, min(longestMilliseconds, next * 1000 - Clock.wallMilliseconds))
    }

    /// Takes over changes that other gateways have made in the store.
    /// - Returns: false after a failure.
    private func takeStoredKeys() -> Bool {
        var hasFailed = false
        for files in retained.signingKeys.adopted.map(\.files) {
            do throws(KeyFileError) {
                try files.followStore(now: Clock.wallSeconds)
                _ = retained.signingKeys.note(failure: nil, of: .following, files)
            } catch {
                logFailure(error.message, of: .following, files)
                hasFailed = true
            }
        }
        return !hasFailed
    }

    private func logFailure(_ failure: String, of task: RetainedSigningKeys.KeyTask, _ files: SigningKeyFiles) {
        guard retained.signingKeys.note(failure: failure, of: task, files) else { return }
        log.write(.signingKeysFailed, [("detail", .text(failure))])
    }

    /// The worse of two is the later one.
    private enum Advance: Comparable {
        case unchanged, changed, failed
    }

    /// Makes the changes that are due, unless another process has made them.
    private func advance(_ known: RetainedSigningKeys.Known) -> Advance {
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
            _ = retained.signingKeys.note(failure: nil, of: .rotating, known.files)
            for change in changes { log.write(change.event, [("kid", .text(change.keyID))]) }
        } catch {
            // Another gateway was first: its change is followed.
            if case .changedMeanwhile = error { return .unchanged }
            logFailure(error.detail, of: .rotating, known.files)
            return .failed
        }
        return known.isOutdated ? .changed : .unchanged
    }
}

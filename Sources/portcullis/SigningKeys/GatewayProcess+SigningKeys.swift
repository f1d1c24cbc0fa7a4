import Endpoints
import Gateway
import JOSE
import Reactor

/// Rotation of the signing keys of a running gateway.
extension GatewayProcess {
    /// The longest time until a change by another process is noticed.
    private static let longestMilliseconds: Int64 = 10_000
    private static let signingKeyQueue = SerialQueue(label: "portcullis.signing-keys")

    /// Rotates the keys by schedule, and reloads after changes by other processes, until the process ends.
    /// - Parameter hasFailed: whether the last change or reload has failed.
    func rotateSigningKeys(_ shared: SharedState, hasFailed: Bool = false) {
        let delay = hasFailed ? GatewayProcess.longestMilliseconds : millisecondsToNextKeys
        GatewayProcess.signingKeyQueue.submit(afterMilliseconds: Int(delay)) { [weak self, weak shared] in
            guard let self, let shared, !isEnding else { return }
            let isNew = lasting.signingKeys.hasNewIndex()
            guard isNew || isChangeDue else { return rotateSigningKeys(shared) }
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
        lasting.signingKeys.adopted?.nextChange.map { $0 <= Clock.wallSeconds } ?? false
    }

    private var millisecondsToNextKeys: Int64 {
        guard let next = lasting.signingKeys.adopted?.nextChange else { return GatewayProcess.longestMilliseconds }
        return max(1000, min(GatewayProcess.longestMilliseconds, next * 1000 - Clock.wallMilliseconds))
    }

    private enum Advance {
        case unchanged
        case changed
        case failed
    }

    /// Makes the changes that are due, unless another process has made them.
    private func advance() -> Advance {
        guard let known = lasting.signingKeys.adopted else { return .unchanged }
        let now = Clock.wallSeconds
        do throws(AdminFailure) {
            let changes = try known.files.change(now: now) { (index, make) throws(AdminFailure) in
                guard let next = known.terms.nextStep(of: index), next.at <= now else {
                    return [] as [(event: String, keyID: String)]
                }
                switch next.step {
                case .removeEnded: return index.removeEnded(now: now).map { ("signing_key_removed", $0.keyID) }
                case .publish:
                    let key = try make()
                    try AdminFailure.wrapping { () throws(SigningKeyError) in try index.publish(key) }
                    return [("signing_key_published", key.keyID)]
                case .promote:
                    try AdminFailure.wrapping { () throws(SigningKeyError) in
                        try index.promote(known.terms, now: now)
                    }
                    return [("signing_key_activated", index.active.keyID)]
                }
            }
            _ = lasting.signingKeys.note(failure: nil)
            for change in changes { log.write(change.event, [("kid", .text(change.keyID))]) }
        } catch {
            if lasting.signingKeys.note(failure: error.detail) {
                log.write("signing_keys_failed", [("detail", .text(error.detail))])
            }
            return .failed
        }
        return known.isOutdated ? .changed : .unchanged
    }
}

import Gateway
import JOSE
import Reactor

/// Rotation of the signing keys of a running gateway.
extension GatewayProcess {
    /// The longest time until a change by another process is noticed.
    private static let longestMilliseconds: Int64 = 10_000
    private static let signingKeyQueue = SerialQueue(label: "portcullis.signing-keys")

    /// Rotates the keys by schedule, and reloads after changes by other processes, until the process ends.
    func rotateSigningKeys(_ shared: SharedState) {
        GatewayProcess.signingKeyQueue.submit(afterMilliseconds: millisecondsToNextKeys) { [weak self, weak shared] in
            guard let self, let shared, !isEnding else { return }
            if lasting.signingKeys.hasNewIndex() {
                requestReload(shared)
            } else if let adopted = lasting.signingKeys.adopted, let next = adopted.nextChange,
                next <= Clock.wallSeconds
            {
                // Retried with the next look if too much waits there.
                _ = configurationThread.submit { [self] in
                    if advance(adopted) { requestReload(shared) }
                }
            }
            rotateSigningKeys(shared)
        }
    }

    private var millisecondsToNextKeys: Int {
        guard let next = lasting.signingKeys.adopted?.nextChange else {
            return Int(GatewayProcess.longestMilliseconds)
        }
        return Int(max(1000, min(GatewayProcess.longestMilliseconds, next * 1000 - Clock.wallMilliseconds)))
    }

    /// Makes the changes that are due, unless another process has made them.
    /// - Returns: whether the index has changed.
    private func advance(_ known: LastingSigningKeys.Known) -> Bool {
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
            for change in changes { log.write(change.event, [("kid", .text(change.keyID))]) }
        } catch {
            log.write("signing_keys_failed", [("detail", .text(error.detail))])
            return false
        }
        return known.isOutdated
    }
}

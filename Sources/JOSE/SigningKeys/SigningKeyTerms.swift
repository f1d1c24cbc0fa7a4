/// How long the states of signing keys last.
package struct SigningKeyTerms: Equatable, Sendable {
    /// How long a key signs, in seconds; nil if keys are rotated by command only.
    package var rotateSeconds: Int64?
    /// How long a key is published before it signs.
    package var publishSeconds: Int64
    /// How long the tokens of a retired key may still be in use.
    package var acceptSeconds: Int64

    package init(rotateSeconds: Int64?, publishSeconds: Int64, acceptSeconds: Int64) {
        self.rotateSeconds = rotateSeconds
        self.publishSeconds = publishSeconds
        self.acceptSeconds = acceptSeconds
    }

    /// A change of the index that time causes.
    package enum Step: Equatable, Sendable {
        /// Remove keys whose last token has ended.
        case removeEnded
        /// Publish another key.
        case publish
        /// Sign with the next key.
        case promote
    }

    /// The next change and the second from which it is due; nil if there is none to wait for.
    package func nextStep(of index: SigningKeyIndex) -> (step: Step, at: Int64)? {
        let end = index.keys.compactMap(\.acceptedUntil).min().map { (step: Step.removeEnded, at: $0) }
        guard let rotateSeconds else { return end }
        let rotation = (index.active.activatedAt ?? index.active.createdAt) + rotateSeconds
        let change =
            index.next.map { (step: Step.promote, at: max(rotation, promotion(of: $0))) }
            ?? (step: Step.publish, at: rotation - publishSeconds)
        guard let end, end.at < change.at else { return change }
        return end
    }

    /// The second from which a key that is published since its creation may sign.
    package func promotion(of next: SigningKeyEntry) -> Int64 { next.createdAt + publishSeconds }
}

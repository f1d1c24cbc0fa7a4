/// One of the gateway's own signing keys, as the index lists it.
package struct SigningKeyEntry: Equatable, Sendable {
    /// What a key is used for. Keys in every state are published, and their tokens are accepted.
    package enum State: String, CaseIterable, Sendable {
        /// Published before it signs.
        case next
        /// Signs. There is exactly one.
        case active
        /// Signs no more.
        case retired
    }

    /// The thumbprint of the key (RFC 7638).
    package let keyID: String
    /// Name of its PEM file, in the directory of the index.
    package let file: String
    package internal(set) var state: State
    /// All times are seconds since 1970.
    package let createdAt: Int64
    /// When it began to sign; nil for the next key.
    package internal(set) var activatedAt: Int64?
    package internal(set) var retiredAt: Int64?
    /// When the last token that it signed has ended; nil unless it is retired.
    package internal(set) var acceptedUntil: Int64?

    /// A key that has not signed yet.
    package init(keyID: String, file: String, createdAt: Int64) {
        self.keyID = keyID
        self.file = file
        self.createdAt = createdAt
        state = .next
    }

    /// Whether it is retired and all its tokens have ended.
    package func hasEnded(at now: Int64) -> Bool { acceptedUntil.map { $0 <= now } ?? false }

    mutating func activate(now: Int64) {
        state = .active
        activatedAt = now
    }

    mutating func retire(now: Int64, acceptSeconds: Int64) {
        state = .retired
        retiredAt = now
        acceptedUntil = now + acceptSeconds
    }
}

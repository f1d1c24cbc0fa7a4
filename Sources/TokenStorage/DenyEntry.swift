import Identity

/// Revocation of access tokens that are otherwise valid, as stored and as exchanged between the processes that share
/// the store.
package struct DenyEntry: Sendable, Equatable {
    /// Kind of entry. The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        case token, subject, backend, issuer
        /// A notice about an account or a secret (`WithdrawnAccounts`): refused from now on, or accepted again.
        case withdrawn, restored
        /// What this version cannot read, such as an entry of a later one. Read, counted, and never written.
        case unknown

        /// Whether the entry revokes tokens.
        package var isAboutTokens: Bool {
            switch self {
            case .token, .subject, .backend, .issuer: true
            case .withdrawn, .restored, .unknown: false
            }
        }
    }

    /// Identity of an entry. Names are compared byte by byte.
    package struct Key: Hashable {
        private let kind: Kind
        private let name: [UInt8]

        fileprivate init(_ entry: DenyEntry) {
            kind = entry.kind
            name = Array(entry.name.utf8)
        }
    }

    package var key: Key { Key(self) }

    package var kind: Kind
    /// Depending on the kind: `TokenRecord.tokenID`, the subject, the backend's id, the name of the issuer's entry
    /// (`Principal.issuer`), the name of the notice, or of an unknown entry the text of its kind.
    package var name: String
    /// For `.token`, the token's subject if known: tokens issued for that subject are dropped too (CACHE-07). For a
    /// notice, the holder. Otherwise empty.
    package var subject = ""
    /// Seconds since 1970: tokens issued at or before this second are refused. Unused (0) for `.token`. For a notice
    /// the time of the change in milliseconds.
    package var issuedBefore: Int64
    /// Seconds since 1970 when the last of these tokens has expired and the entry can be removed.
    package var until: Int64

    package init(kind: Kind, name: String, subject: String = "", issuedBefore: Int64, until: Int64) {
        self.kind = kind
        self.name = name
        self.subject = subject
        self.issuedBefore = issuedBefore
        self.until = until
    }

    /// One token.
    package static func token(_ id: String, subject: String = "", until: Int64) -> DenyEntry {
        DenyEntry(kind: .token, name: id, subject: subject, issuedBefore: 0, until: until)
    }

    /// All tokens of a subject issued so far.
    package static func subject(_ subject: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .subject, name: subject, issuedBefore: issuedBefore, until: until)
    }

    /// All tokens of a mobile backend issued so far (MBE-06).
    package static func backend(_ id: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .backend, name: id, issuedBefore: issuedBefore, until: until)
    }

    /// A notice about an account or a secret.
    package static func notice(_ name: String, _ notice: WithdrawnAccounts.Notice) -> DenyEntry {
        DenyEntry(
            kind: notice.isWithdrawn ? .withdrawn : .restored, name: name, subject: notice.holder,
            issuedBefore: notice.changedAt, until: notice.until)
    }

    /// An entry that cannot be read.
    /// - Parameter kind: the text of its kind, if that can be read.
    package static func unknown(_ kind: String) -> DenyEntry {
        DenyEntry(kind: .unknown, name: kind, issuedBefore: 0, until: 0)
    }

    /// All tokens of an issuer issued so far, by the name of its entry.
    package static func issuer(_ name: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .issuer, name: name, issuedBefore: issuedBefore, until: until)
    }
}

/// An entry with its sequence number. Sequence numbers only grow.
package struct DenyChange: Sendable, Equatable {
    package var sequence: Int64
    package var entry: DenyEntry

    package init(sequence: Int64, entry: DenyEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}

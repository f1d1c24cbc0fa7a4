import Identity

/// Access tokens that are refused though their signature and dates are good, as the store keeps them and as the
/// processes that share it tell each other.
package struct DenyEntry: Sendable, Equatable {
    /// What is named. The raw value is what stores write.
    package enum Kind: String, Sendable, CaseIterable {
        case token, subject, backend, issuer
        /// A notice about an account or a secret (`WithdrawnAccounts`): refused from now on, or good again.
        case withdrawn, restored

        /// Whether tokens are named.
        package var isAboutTokens: Bool {
            switch self {
            case .token, .subject, .backend, .issuer: true
            case .withdrawn, .restored: false
            }
        }
    }

    /// What an entry is about. Names count by their bytes.
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
    /// `TokenRecord.tokenID`, or the name of the subject, the id of the backend, the name of the issuer's entry
    /// (`Principal.issuer`), or the name of the notice.
    package var name: String
    /// Whose token `.token` names, where that is known: what was issued for that subject goes too (CACHE-07); whom a
    /// notice is about. Else empty.
    package var subject = ""
    /// Seconds since 1970: tokens issued at this second or before are refused. 0 for `.token`, where it means nothing. Of
    /// a notice the time of the change, in milliseconds.
    package var issuedBefore: Int64
    /// Seconds since 1970 when the last of these tokens has ended by itself and the entry can go.
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

    /// What a subject was issued so far.
    package static func subject(_ subject: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .subject, name: subject, issuedBefore: issuedBefore, until: until)
    }

    /// What a mobile backend was issued so far (MBE-06).
    package static func backend(_ id: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .backend, name: id, issuedBefore: issuedBefore, until: until)
    }

    /// What is said of an account or a secret.
    package static func notice(_ name: String, _ notice: WithdrawnAccounts.Notice) -> DenyEntry {
        DenyEntry(
            kind: notice.isWithdrawn ? .withdrawn : .restored, name: name, subject: notice.holder,
            issuedBefore: notice.changedAt, until: notice.until)
    }

    /// What an issuer has issued so far, by the name of its entry.
    package static func issuer(_ name: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .issuer, name: name, issuedBefore: issuedBefore, until: until)
    }
}

/// An entry with its place in the order in which the store took them. Places only ever grow.
package struct DenyChange: Sendable, Equatable {
    package var sequence: Int64
    package var entry: DenyEntry

    package init(sequence: Int64, entry: DenyEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}

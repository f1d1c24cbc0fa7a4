import Identity

/// Revocation of access tokens that are otherwise valid, as stored and as exchanged between the processes that share
/// the store.
package struct DenyEntry: Sendable, Equatable {
    /// Kind of entry. The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        case token, subject, issuer
        case client = "backend"
        /// A notice about an account or a secret (`WithdrawnAccounts`): refused from now on, or accepted again.
        case withdrawn, restored
        /// What this version cannot read, such as an entry of a later one. Read, counted, and never written.
        case unknown

        /// Whether the entry revokes tokens.
        package var isAboutTokens: Bool {
            switch self {
            case .token, .subject, .client, .issuer: true
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
    /// Depending on the kind: `TokenRecord.tokenID`, the subject, the client's id, the name of the issuer's entry
    /// (`Principal.issuer`), the name of the notice, or of an unknown entry the text of its kind.
    package var name: String
    /// For `.token`, the token's subject if known: tokens issued for that subject are dropped too (CACHE-07). For a
    /// notice, the holder, and in another line the second from which it applies, if that is not at once. For an unknown
    /// entry, the name of the notice that it replaces. Otherwise empty.
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

    /// All tokens of a mobile backend issued so far.
    package static func client(_ id: String, issuedBefore: Int64, until: Int64) -> DenyEntry {
        DenyEntry(kind: .client, name: id, issuedBefore: issuedBefore, until: until)
    }

    /// A notice about an account or a secret.
    package static func notice(_ name: String, _ notice: WithdrawnAccounts.Notice) -> DenyEntry {
        DenyEntry(
            kind: notice.isWithdrawn ? .withdrawn : .restored, name: name,
            subject: notice.from == 0 ? notice.holder : "\(notice.holder)\n\(notice.from)",
            issuedBefore: notice.changedAt, until: notice.until)
    }

    /// The holder of a notice.
    package var holder: String { String(subject.prefix { $0 != "\n" }) }

    /// Seconds since 1970 from which a notice applies; 0 for at once, also if its date cannot be read.
    var from: Int64 { subject.firstIndex(of: "\n").flatMap { Int64(subject[$0...].dropFirst()) } ?? 0 }

    /// Whether this version knows what the entry is about.
    package var isKnown: Bool {
        kind != .unknown && (kind.isAboutTokens || WithdrawnAccounts.Kind(noticeName: name) != nil)
    }

    /// The text of a kind that this version does not know: that of the entry, or of what its notice is about.
    package var unknownKind: String { kind == .unknown ? name : String(name.prefix { $0 != ":" }) }

    /// An entry that cannot be read.
    /// - Parameters:
    ///   - kind: the text of its kind, if that can be read.
    ///   - name: of what it is about, if that can be read. Matters for notices.
    package static func unknown(
        _ kind: String, about name: String? = nil, changedAt: Int64? = nil, until: Int64? = nil
    ) -> DenyEntry {
        guard let name, WithdrawnAccounts.Kind(noticeName: name) != nil else {
            return DenyEntry(kind: .unknown, name: kind, issuedBefore: 0, until: 0)
        }
        // Without a date it is later than all others.
        return DenyEntry(
            kind: .unknown, name: kind, subject: name, issuedBefore: changedAt ?? .max / 2, until: until ?? .max / 2)
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

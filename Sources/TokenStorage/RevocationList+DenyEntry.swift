import Identity

extension RevocationList {
    /// Applies an entry from a store or an administrator. Returns whether it is news.
    @discardableResult
    package func apply(_ entry: DenyEntry) -> Bool {
        switch entry.kind {
        case .token: revoke(tokenID: entry.name, until: entry.until)
        case .subject: revoke(subject: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        case .client: revoke(backendID: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        case .issuer: revoke(issuer: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        case .withdrawn, .restored, .unknown: false
        }
    }

    /// The entries of single tokens that a comparison has not confirmed and that have not expired.
    /// - Parameter now: seconds since 1970.
    package func unconfirmedEntries(now: Int64) -> [DenyEntry] {
        unconfirmed.filter { $0.until > now }.map { .token($0.id, until: $0.until) }
    }

    /// All entries that have not expired.
    /// - Parameter now: seconds since 1970.
    package func denyEntries(now: Int64) -> [DenyEntry] { RevocationList.entries(contents, now: now) }

    /// The entries of groups of tokens that have not expired.
    /// - Parameter now: seconds since 1970.
    package func groupEntries(now: Int64) -> [DenyEntry] { RevocationList.entries(groups, now: now) }

    private static func entries(_ contents: [Refused], now: Int64) -> [DenyEntry] {
        contents.filter { $0.until > now }.map { refused in
            switch refused.kind {
            case .token: .token(refused.name, until: refused.until)
            case .subject: .subject(refused.name, issuedBefore: refused.issuedBefore, until: refused.until)
            case .client: .client(refused.name, issuedBefore: refused.issuedBefore, until: refused.until)
            case .issuer: .issuer(refused.name, issuedBefore: refused.issuedBefore, until: refused.until)
            }
        }
    }
}

extension WithdrawnAccounts {
    /// Applies a notice from a store or an administrator. Returns whether it is news.
    package func apply(_ entry: DenyEntry) -> Bool {
        if entry.kind == .unknown {
            // What may have happened to the credential is not known, and so it is refused.
            let notice = Notice(isWithdrawn: true, holder: "", changedAt: entry.issuedBefore, until: entry.until)
            return apply(notice, name: entry.subject)
        }
        let notice = Notice(
            isWithdrawn: entry.kind == .withdrawn, holder: entry.holder, changedAt: entry.issuedBefore,
            until: entry.until, from: entry.from)
        return apply(notice, name: entry.name)
    }

    /// All notices as entries, without those that could not be read as a whole.
    package func entries(now: Int64) -> [DenyEntry] {
        notices.filter { $0.value.until > now && !$0.value.holder.isEmpty }.map { .notice($0.key, $0.value) }
    }
}

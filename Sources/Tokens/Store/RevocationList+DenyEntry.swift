import Identity

extension RevocationList {
    /// Takes over what a store or an administrator denies.
    package func apply(_ entry: DenyEntry) {
        switch entry.kind {
        case .token: revoke(tokenID: entry.name, until: entry.until)
        case .subject: revoke(subject: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        case .backend: revoke(backendID: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        case .issuer: revoke(issuer: entry.name, issuedBefore: entry.issuedBefore, until: entry.until)
        }
    }
}

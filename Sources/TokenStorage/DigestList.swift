/// The digests of a token under several keys, one after the other: of each key its name and the digest, the key in use
/// first. Under a single key the digest alone. Stores look for all of them in one step, and a record has the first.
enum DigestList {
    /// Bytes of the name of a key.
    static let nameLength = 8

    static func digests(in list: [UInt8]) -> [[UInt8]] {
        guard list.count > TokenDigestKey.digestLength else { return [list] }
        return stride(from: nameLength, to: list.count, by: nameLength + TokenDigestKey.digestLength).map {
            Array(list[$0...].prefix(TokenDigestKey.digestLength))
        }
    }

    static func first(in list: [UInt8]) -> [UInt8] { digests(in: list)[0] }

    /// The name of the key in use when the list was made; nil for a single digest.
    static func keyName(of list: [UInt8]) -> [UInt8]? {
        list.count > TokenDigestKey.digestLength ? Array(list.prefix(nameLength)) : nil
    }
}

extension TokenKey {
    /// One key for each digest.
    var singleKeys: [TokenKey] {
        switch self {
        case .access(let list): DigestList.digests(in: list).map { .access($0) }
        case .refresh(let list): DigestList.digests(in: list).map { .refresh($0) }
        case .family(let list): DigestList.digests(in: list).map { .family(ofRefresh: $0) }
        case .id, .names, .tokenID: [self]
        }
    }
}

extension TokenRecord {
    /// The record as it is stored, with a single digest of each token.
    var stored: TokenRecord {
        var record = self
        record.accessDigest = accessDigest.map(DigestList.first)
        record.refreshDigest = refreshDigest.map(DigestList.first)
        return record
    }
}

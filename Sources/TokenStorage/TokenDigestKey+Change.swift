/// A change of the key in use.
extension TokenDigestKey {
    /// Seals the data of a record with the key that made its digests.
    /// - Parameters:
    ///   - name: of the key; nil for the one in use.
    ///   - id: that the record will have.
    /// - Returns: nil if the key, or the one that has sealed the data, is unknown.
    func resealed(_ record: TokenRecord, by name: [UInt8]?, id: String) -> [UInt8]? {
        let parts = parts
        guard let key = parts.first(where: { $0.name == name ?? parts[0].name }) else { return nil }
        if record.sealed.isEmpty {
            // A verifier without a hash is wiped.
            return record.kind == .verifier ? [] : key.seal([], id: id)
        }
        for part in [key] + parts {
            if let text = part.open(record.sealed, id: record.id) { return key.seal(text, id: id) }
        }
        return nil
    }

    /// Whether only a former key finds or opens the record: ids, digests and sealed data of a record are by the same key.
    func needsFormer(_ record: TokenRecord) -> Bool {
        switch record.kind {
        // Not under the key of the store.
        case .provided, .signOn, .posted: return false
        case .verifier where record.sealed.isEmpty: return false
        case .verifier, .issued, .consent: break
        default: if record.accessDigest == nil, record.refreshDigest == nil { return false }
        }
        return parts[0].open(record.sealed, id: record.id) == nil
    }

    /// Whether a former key has sealed the data, so that they must be sealed anew.
    package func isByFormer(_ sealed: [UInt8], id: String) -> Bool { parts[0].open(sealed, id: id) == nil }
}

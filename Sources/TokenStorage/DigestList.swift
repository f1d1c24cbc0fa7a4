/// The digests of a token under several keys, one after the other: of each key its name and the digest, the key in use
/// first. Under a single key the digest alone. Stores look for all of them in one step, and a record has the first.
enum DigestList {
    /// Bytes of a digest.
    static let digestLength = 32
    /// Bytes of the name of a key.
    static let nameLength = 8

    static func digests(in list: [UInt8]) -> [[UInt8]] {
        guard list.count > digestLength else { return [list] }
        return stride(from: nameLength, to: list.count, by: nameLength + digestLength).map {
            Array(list[$0...].prefix(digestLength))
        }
    }

    static func first(in list: [UInt8]) -> [UInt8] { digests(in: list)[0] }

    /// The name of the key in use when the list was made; nil for a single digest.
    static func keyName(of list: [UInt8]) -> [UInt8]? {
        list.count > digestLength ? Array(list.prefix(nameLength)) : nil
    }
}

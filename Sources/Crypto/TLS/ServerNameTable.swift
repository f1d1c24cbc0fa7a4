/// Certificates by host name: exact names before wildcards, and earlier certificates before later ones with the same
/// kind of key.
struct ServerNameTable: Sendable {
    /// Sets of certificates, as indices; the first set is the default.
    private(set) var groups: [[Int]] = []
    private var exact: [String: Int] = [:]
    /// By the name after `*.`.
    private var wildcards: [String: Int] = [:]

    /// - Parameter certificates: names and kind of key of each certificate, in order; at least one.
    init(_ certificates: [(names: [String], kind: CertificateSummary.KeyKind)]) {
        var places: [String: [Int]] = [:]
        for (place, certificate) in certificates.enumerated() {
            for name in certificate.names.compactMap({ ServerNameTable.canonical($0) }) {
                let others = places[name] ?? []
                if others.contains(where: { certificates[$0].kind == certificate.kind }) { continue }
                places[name] = others + [place]
            }
        }
        // The default set contains the certificates of the default certificate's first name with other kinds of keys.
        let first = certificates[0].names.lazy.compactMap { ServerNameTable.canonical($0) }.first
        groups = [first.flatMap { places[$0] } ?? [0]]
        for (name, group) in places.sorted(by: { $0.key < $1.key }) {
            let number = groups.firstIndex(of: group) ?? groups.count
            if number == groups.count { groups.append(group) }
            if name.hasPrefix("*.") { wildcards[String(name.dropFirst(2))] = number } else { exact[name] = number }
        }
    }

    /// The set for a name in canonical form, or the default set.
    func group(for name: String?) -> Int {
        guard let name else { return 0 }
        if let group = exact[name] { return group }
        // A wildcard matches exactly one label, the leftmost (RFC 6125 section 6.4.3).
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return 0 }
        return wildcards[String(name[name.index(after: dot)...])] ?? 0
    }

    /// A host name in lower case and without the final dot; nil for an invalid one.
    static func canonical(_ name: String) -> String? {
        let bytes = Array(name.utf8)
        return canonical(bytes[...])
    }

    /// The same for a name as bytes.
    static func canonical(_ name: ArraySlice<UInt8>) -> String? {
        let name = name.last == UInt8(ascii: ".") ? name.dropLast() : name
        // RFC 1035 section 2.3.4: 253 characters without the root.
        guard !name.isEmpty, name.count <= 253 else { return nil }
        let isSound = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                true
            default: false
            }
        }
        return isSound ? String(decoding: name, as: UTF8.self).lowercased() : nil
    }

    /// The host name of a `server_name` extension (RFC 6066 section 3), in canonical form; nil without one, or for an
    /// invalid one, which libssl refuses later.
    static func name(inExtension bytes: [UInt8]) -> String? {
        // List length, then one entry: type 0, length, name.
        guard bytes.count > 5, Int(bytes[0]) << 8 | Int(bytes[1]) == bytes.count - 2, bytes[2] == 0 else { return nil }
        guard Int(bytes[3]) << 8 | Int(bytes[4]) == bytes.count - 5 else { return nil }
        return canonical(bytes[5...])
    }
}

import Bytes

extension SigningKeyIndex {
    /// Reads an index. Every deviation is an error, since a key that is missed refuses valid tokens.
    package init(json: Span<UInt8>) throws(SigningKeyError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.parse(json, maximumDepth: 8)
        } catch {
            throw .damaged("it is not JSON: \(error)")
        }
        let generation = root["generation"].map { $0.integer ?? 0 }
        guard root.members?.count == (generation == nil ? 1 : 2), let nodes = root["keys"]?.array else {
            throw .damaged("it is no object with an array \"keys\" alone")
        }
        guard generation.map({ (1...SigningKeyIndex.latest).contains($0) }) ?? true else {
            throw .damaged("it has a wrong \"generation\"")
        }
        var keys: [SigningKeyEntry] = []
        for (place, node) in nodes.enumerated() {
            let key = try SigningKeyIndex.entry(node, "key \(place)")
            if keys.contains(where: { $0.keyID.isExactly(key.keyID) }) {
                throw .damaged("key \(place) has the \"kid\" of an earlier key: \"\(key.keyID)\"")
            }
            keys.append(key)
        }
        let counts = Dictionary(grouping: keys, by: \.state).mapValues(\.count)
        guard let active = counts[.active] else { throw .damaged("it has no active key") }
        guard active == 1 else { throw .damaged("it has \(active) active keys; exactly one may be active") }
        if let next = counts[.next], next > 1 { throw .damaged("it has \(next) next keys; one is allowed") }
        self.init(checked: keys, generation: generation ?? 0)
    }

    private static func entry(_ node: JSONNode, _ subject: String) throws(SigningKeyError) -> SigningKeyEntry {
        guard let members = node.members else { throw .damaged("\(subject) is not an object") }
        let known: Set = ["kid", "file", "state", "createdAt", "activatedAt", "retiredAt", "acceptedUntil"]
        for member in members where !known.contains(member.name) {
            throw .damaged("\(subject) has an unknown member \"\(member.name)\"")
        }
        func damaged(_ name: String) -> SigningKeyError {
            .damaged(node[name] == nil ? "\(subject) has no \"\(name)\"" : "\(subject) has a wrong \"\(name)\"")
        }
        guard let keyID = node["kid"]?.string, !keyID.isEmpty else { throw damaged("kid") }
        guard let file = node["file"]?.string, isPlain(file) else { throw damaged("file") }
        guard let state = (node["state"]?.string).flatMap(SigningKeyEntry.State.init) else { throw damaged("state") }
        func time(_ name: String, from states: Set<SigningKeyEntry.State>) throws(SigningKeyError) -> Int64? {
            guard states.contains(state) else {
                if node[name] != nil { throw .damaged("\(subject) is \(state.rawValue) and has \"\(name)\"") }
                return nil
            }
            guard let value = node[name]?.integer, (0...latest).contains(value) else { throw damaged(name) }
            return value
        }
        let created = try time("createdAt", from: [.next, .active, .retired]) ?? 0
        var entry = SigningKeyEntry(keyID: keyID, file: file, createdAt: created)
        entry.state = state
        entry.activatedAt = try time("activatedAt", from: [.active, .retired])
        entry.retiredAt = try time("retiredAt", from: [.retired])
        entry.acceptedUntil = try time("acceptedUntil", from: [.retired])
        return entry
    }

    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Whether a name stays in the directory of the index.
    private static func isPlain(_ file: String) -> Bool {
        !file.isEmpty && !file.hasPrefix(".") && !file.utf8.contains(UInt8(ascii: "/")) && !file.utf8.contains(0)
    }

    /// The text of the index, one key a line.
    package var json: [UInt8] {
        let lines = keys.map { key in "  " + String(decoding: JSONWriter.object(key.write), as: UTF8.self) }
        let end = generation > 0 ? ", \"generation\": \(generation)" : ""
        return Array("{\"keys\": [\n\(lines.joined(separator: ",\n"))\n]\(end)}\n".utf8)
    }
}

extension SigningKeyEntry {
    /// Writes the members of the index.
    package func write(to writer: inout JSONWriter) {
        writer.member("kid", keyID)
        writer.member("file", file)
        writer.member("state", state.rawValue)
        writer.member("createdAt", createdAt)
        for (name, time) in [
            ("activatedAt", activatedAt), ("retiredAt", retiredAt), ("acceptedUntil", acceptedUntil),
        ] {
            if let time { writer.member(name, time) }
        }
    }
}

import Bytes

/// The reply of a script.
struct RedisReply: Sendable {
    var answer: StoreAnswer
    /// Whether the script must run again to continue.
    var hasMore = false
    /// Cursor for continuing a list; empty at its end.
    var place: [UInt8] = []
    /// The server's clock in milliseconds since 1970, if requested.
    var serverTime: Int64?

    /// Parses the reply of a script: an array of a word and its data.
    static func read(_ value: RESPValue) -> Result<RedisReply, StoreFailure> {
        if let code = value.errorCode { return .failure(failure(code)) }
        guard case .array(let parts) = value, case .bytes(let tag)? = parts.first,
            let word = String(streamSafe: tag), let reply = read(word, parts.dropFirst())
        else { return .failure(.malformed) }
        return .success(reply)
    }

    /// Maps an error code: out of memory is distinct from a server that is temporarily unable to answer. All other
    /// codes mean that the data under our keys has an unexpected form.
    private static func failure(_ code: String) -> StoreFailure {
        switch code {
        case "OOM": .full
        case "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "BUSY", "UNKILLABLE",
            "NOREPLICAS", "MISCONF", "NOAUTH", "NOPERM":
            .unavailable
        default: .malformed
        }
    }

    private static func read(_ tag: String, _ parts: ArraySlice<RESPValue>) -> RedisReply? {
        switch (tag, parts.first) {
        case ("record", .null?): return RedisReply(answer: .record(nil))
        case ("record", let part?): return record(part).map { RedisReply(answer: .record($0)) }
        case ("conflict", nil): return RedisReply(answer: .conflict)
        case ("rotated", let part?): return record(part).map { RedisReply(answer: .rotated($0)) }
        case ("reused", .bytes(let id)?): return text(id).map { RedisReply(answer: .reused(family: $0)) }
        case ("removed", .integer(let more)?):
            return records(parts.dropFirst()).map { RedisReply(answer: .removed($0), hasMore: more == 1) }
        case ("denied", .bytes(let place)?): return number(place).map { RedisReply(answer: .denied(sequence: $0)) }
        case ("changes", .bytes(let latest)?): return changes(latest, Array(parts.dropFirst()))
        case ("fresh", .integer(let isFresh)?): return RedisReply(answer: .fresh(isFresh == 1))
        case ("touched", .integer(let count)?): return RedisReply(answer: .touched(Int(count)))
        case ("cleaned", .integer(let count)?):
            return RedisReply(answer: .cleaned(Int(count), isDone: parts.dropFirst().first == .integer(1)))
        case ("records", .bytes(let place)?):
            return records(parts.dropFirst()).map { RedisReply(answer: .records($0), place: place) }
        case ("surveyed", .bytes(let place)?):
            guard let next = text(place) else { return nil }
            return records(parts.dropFirst()).map {
                RedisReply(answer: .surveyed($0, next: next == "0" ? "" : next))
            }
        default: return nil
        }
    }

    // MARK: Deny entries

    private static func changes(_ latest: [UInt8], _ parts: [RESPValue]) -> RedisReply? {
        guard let latest = number(latest), case .array(let entries)? = parts.first else { return nil }
        var changes: [DenyChange] = []
        for entry in entries {
            guard case .bytes(let bytes) = entry else { return nil }
            changes.append(change(bytes, behind: changes.last?.sequence ?? 0))
        }
        return RedisReply(answer: .changes(changes, latest: latest), serverTime: time(parts.dropFirst()))
    }

    /// Seconds and microseconds; nil if absent or implausible.
    private static func time(_ parts: ArraySlice<RESPValue>) -> Int64? {
        guard case .bytes(let seconds)? = parts.first, case .bytes(let microseconds)? = parts.dropFirst().first,
            let seconds = number(seconds), let microseconds = number(microseconds), (0..<1 << 40).contains(seconds),
            (0..<1_000_000).contains(microseconds)
        else { return nil }
        return seconds * 1000 + microseconds / 1000
    }

    /// Sequence number, kind, issued before, until, length of the name, then name and subject without a separator. What
    /// has another form is unknown: a later version may have written it.
    ///
    /// - Parameter behind: the sequence number before it, for an entry without one.
    private static func change(_ bytes: [UInt8], behind: Int64) -> DenyChange {
        var words = EntryWords(bytes)
        let (sequence, word) = (words.number(), words.text())
        let (issuedBefore, until) = (words.number(), words.number())
        let texts = words.number().flatMap { words.rest($0) }
        guard let sequence, let kind = word.flatMap(DenyEntry.Kind.init), kind != .unknown, let issuedBefore, let until,
            let (name, subject) = texts
        else {
            let entry = DenyEntry.unknown(word ?? "", about: texts?.0, changedAt: issuedBefore, until: until)
            return DenyChange(sequence: sequence ?? behind, entry: entry)
        }
        let entry = DenyEntry(kind: kind, name: name, subject: subject, issuedBefore: issuedBefore, until: until)
        return DenyChange(sequence: sequence, entry: entry)
    }

    /// Reads the words of an entry one after the other: a list has a million of them.
    private struct EntryWords {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        private mutating func word() -> Range<Int>? {
            guard let end = bytes[position...].firstIndex(of: 32) else { return nil }
            defer { position = end + 1 }
            return position..<end
        }

        mutating func number() -> Int64? { word().flatMap { RESPReader.integer(bytes.span.extracting($0)) } }

        mutating func text() -> String? { word().flatMap { String(validating: bytes[$0], as: UTF8.self) } }

        /// The rest in two texts, the first of this length.
        func rest(_ length: Int64) -> (String, String)? {
            let rest = bytes[position...]
            guard (0...Int64(rest.count)).contains(length),
                let first = String(validating: rest.prefix(Int(length)), as: UTF8.self),
                let second = String(validating: rest.dropFirst(Int(length)), as: UTF8.self)
            else { return nil }
            return (first, second)
        }
    }

    // MARK: Records

    private static func records(_ parts: ArraySlice<RESPValue>) -> [TokenRecord]? {
        var all: [TokenRecord] = []
        for part in parts {
            guard let record = record(part) else { return nil }
            all.append(record)
        }
        return all
    }

    private static func record(_ value: RESPValue) -> TokenRecord? {
        guard case .array(let values) = value, values.count == 16 else { return nil }
        var fields: [[UInt8]] = []
        for value in values {
            guard case .bytes(let bytes) = value else { return nil }
            fields.append(bytes)
        }
        guard let id = text(fields[0]), let kind = text(fields[1]).flatMap(TokenRecord.Kind.init),
            let slot = text(fields[2]), let application = text(fields[3]), let subject = text(fields[4]),
            let tokenID = text(fields[5]), let accessExpiresAt = number(fields[7]),
            let refreshExpiresAt = number(fields[9]), let issuedAt = number(fields[10]), let scope = text(fields[11]),
            let extra = text(fields[12]), let lastUsedAt = fields[15].isEmpty ? 0 : number(fields[15])
        else { return nil }
        var record = TokenRecord(
            id: id, kind: kind, application: application, subject: subject, tokenID: tokenID,
            accessExpiresAt: accessExpiresAt, issuedAt: issuedAt)
        record.slot = slot
        record.accessDigest = fields[6].isEmpty ? nil : fields[6]
        record.refreshDigest = fields[8].isEmpty ? nil : fields[8]
        record.refreshExpiresAt = refreshExpiresAt
        record.scope = scope
        record.extra = extra
        record.sealed = fields[13]
        record.attributes = fields[14]
        // Absent in records of earlier versions.
        record.lastUsedAt = lastUsedAt
        return record
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    private static func number(_ bytes: [UInt8]) -> Int64? { RESPReader.integer(bytes.span) }
}

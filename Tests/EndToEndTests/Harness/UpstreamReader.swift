import Testing

/// How some server reads HTTP/1 requests out of the bytes of a connection. Servers differ in what they overlook, and a
/// request that two of them end at different places is how another one is smuggled past a gateway.
struct UpstreamReader: Sendable, CustomTestStringConvertible {
    /// Which of two framings counts.
    enum Preference: Sendable { case contentLength, chunked }

    let name: String
    /// Refuses what has more than one meaning instead of choosing one.
    var isStrict = false
    /// A line ends at any LF, or at a CR alone.
    var takesAnyLineEnd = false
    /// Field names are compared without the white space and control characters around them, `_` and `.` like `-`.
    var takesAnyName = false
    /// Any value with `chunked` in it means chunks.
    var takesAnyCoding = false
    var preference = Preference.chunked
    /// The last of several lengths counts, not the first.
    var takesLastLength = false

    var testDescription: String { name }

    static let strict = UpstreamReader(name: "strict", isStrict: true)
    static let lengthFirst = UpstreamReader(
        name: "Content-Length wins", takesAnyName: true, preference: .contentLength, takesLastLength: true)
    static let chunkedFirst = UpstreamReader(
        name: "anything chunked wins", takesAnyName: true, takesAnyCoding: true, preference: .chunked)
    static let looseLines = UpstreamReader(
        name: "any line end", takesAnyLineEnd: true, takesAnyName: true, takesAnyCoding: true,
        preference: .contentLength)
    static let all = [strict, lengthFirst, chunkedFirst, looseLines]

    struct Request: Sendable, Equatable {
        var startLine: String
        /// What the gateway says the client's address is; empty where there is no such field.
        var source: String
        var body: [UInt8]
    }

    /// What was read: the requests that are complete, where the rest begins, and whether the reader gave up there.
    struct Reading: Sendable, Equatable {
        var requests: [Request] = []
        var end = 0
        var isRefused = false
    }

    private enum Stop: Error { case needMore, refused }

    func read(_ bytes: [UInt8], after earlier: Reading = Reading()) -> Reading {
        var reading = earlier
        while !reading.isRefused {
            var at = reading.end
            do {
                reading.requests.append(try request(bytes, &at))
                reading.end = at
            } catch {
                reading.isRefused = error == .refused
                break
            }
        }
        return reading
    }

    // MARK: Lines

    private func line(_ bytes: [UInt8], _ at: inout Int) throws(Stop) -> [UInt8] {
        let start = at
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == 10 {
                let hasReturn = at - 2 >= start && bytes[at - 2] == 13
                if !hasReturn {
                    if isStrict { throw .refused }
                    if !takesAnyLineEnd { continue }
                }
                return Array(bytes[start..<(at - (hasReturn ? 2 : 1))])
            }
            guard byte == 13, at < bytes.count, bytes[at] != 10 else { continue }
            if isStrict { throw .refused }
            if takesAnyLineEnd { return Array(bytes[start..<(at - 1)]) }
        }
        throw .needMore
    }

    // MARK: Requests

    private func request(_ bytes: [UInt8], _ at: inout Int) throws(Stop) -> Request {
        var start = try line(bytes, &at)
        while start.isEmpty { start = try line(bytes, &at) }
        var fields: [(name: [UInt8], value: [UInt8])] = []
        while true {
            let text = try line(bytes, &at)
            if text.isEmpty { break }
            if isStrict, !isClean(text) { throw .refused }
            if text[0] == 32 || text[0] == 9, !fields.isEmpty {
                fields[fields.count - 1].value += text
                continue
            }
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
                if isStrict { throw .refused }
                continue
            }
            fields.append((name(text[..<colon]), trimmed(text[(colon + 1)...])))
        }
        if isStrict, start.filter({ $0 == 32 }).count != 2 { throw .refused }
        let body = try body(fields, bytes, &at)
        let source = fields.last { $0.name == Array("x-forwarded-for".utf8) }?.value ?? []
        return Request(
            startLine: String(decoding: start, as: UTF8.self), source: String(decoding: source, as: UTF8.self),
            body: body)
    }

    /// A field line of visible characters and blanks that begins with a name of token characters (RFC 9110 section 5).
    private func isClean(_ line: [UInt8]) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        let marks = Array("!#$%&'*+-.^_`|~".utf8)
        let isToken = line[..<colon].allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
        }
        return isToken && line[colon...].allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
    }

    private func name(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let lower = text.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard takesAnyName else { return lower }
        return trimmed(lower[...]).map { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") ? UInt8(ascii: "-") : $0 }
    }

    /// Without what is no visible ASCII at both ends; the strict reader only takes blanks away.
    private func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || (!isStrict && ($0 < 33 || $0 > 126)) }
        let rest = text.drop(while: isBlank)
        return Array(rest.reversed().drop(while: isBlank).reversed())
    }

    // MARK: Bodies

    private func body(
        _ fields: [(name: [UInt8], value: [UInt8])], _ bytes: [UInt8], _ at: inout Int
    ) throws(Stop) -> [UInt8] {
        let lengths = fields.filter { $0.name == Array("content-length".utf8) }.map(\.value)
        let codings = fields.filter { $0.name == Array("transfer-encoding".utf8) }
            .map { String(decoding: $0.value, as: UTF8.self).lowercased() }
        if isStrict, lengths.count + codings.count > 1 { throw .refused }
        let isChunked = codings.contains { takesAnyCoding ? $0.contains("chunked") : $0.hasSuffix("chunked") }
        if isStrict, let coding = codings.first, coding != "chunked" { throw .refused }
        if isChunked, lengths.isEmpty || preference == .chunked { return try chunks(bytes, &at) }
        guard let text = takesLastLength ? lengths.last : lengths.first else { return [] }
        let count = try length(text)
        guard bytes.count - at >= count else { throw .needMore }
        at += count
        return Array(bytes[(at - count)..<at])
    }

    /// The digits that the value begins with, behind a sign; nothing else for the strict reader.
    private func length(_ text: [UInt8]) throws(Stop) -> Int {
        let digits = (text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]).prefix { (48...57).contains($0) }
        if isStrict, digits.isEmpty || digits.count != text.count { throw .refused }
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private func chunks(_ bytes: [UInt8], _ at: inout Int) throws(Stop) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let text = String(decoding: try line(bytes, &at), as: UTF8.self)
            let digits = (isStrict ? text[...] : text.drop { $0 == " " }).prefix { $0.isHexDigit }
            guard let count = Int(digits, radix: 16) else { throw .refused }
            if isStrict, digits.count != text.count { throw .refused }
            if count == 0 { break }
            guard bytes.count - at >= count else { throw .needMore }
            body += bytes[at..<(at + count)]
            at += count
            guard try line(bytes, &at).isEmpty else { throw .refused }
        }
        while try !line(bytes, &at).isEmpty {}
        return body
    }
}

import Bytes

/// Strict parser of the field lines of a head up to the empty line (RFC 9112 section 5): lenient parsing that differs
/// from the next hop's allows for request smuggling.
enum FieldSection {
    enum Outcome {
        /// The section is complete; the body starts at this offset.
        case end(Int)
        /// The bytes end before the section does.
        case needMore
        case invalid(HTTPParseError)
    }

    /// Reads field lines from `start` into the table until the empty line.
    static func parse(
        _ bytes: Span<UInt8>, from start: Int, maximumFields: Int, into table: HeaderTable
    ) -> Outcome {
        var position = start
        let count = bytes.count
        while position < count {
            if bytes[position] == ASCII.carriageReturn {
                guard position &+ 1 < count else { return .needMore }
                guard bytes[position &+ 1] == ASCII.lineFeed else { return .invalid(.bareCarriageReturn) }
                return .end(position &+ 2)
            }
            switch parseLine(bytes, from: position) {
            case .line(let field, let end):
                guard table.count < maximumFields, !table.isFull else { return .invalid(.tooManyFields) }
                table.append(field)
                position = end
            case .needMore: return .needMore
            case .invalid(let error): return .invalid(error)
            }
        }
        return .needMore
    }

    enum LineOutcome {
        case line(HeaderField, end: Int)
        case needMore
        case invalid(HTTPParseError)
    }

    /// Reads one field line with its CRLF.
    @inline(__always)
    static func parseLine(_ bytes: Span<UInt8>, from start: Int) -> LineOutcome {
        let count = bytes.count
        var position = ByteScan.firstBesideName(in: bytes, from: start)
        // Set if the name has a character other than letters, digits and hyphens.
        var odd = false
        while position < count, FieldSyntax.isToken(bytes[position]) {
            odd = true
            position = ByteScan.firstBesideName(in: bytes, from: position &+ 1)
        }
        guard position < count else { return .needMore }
        guard bytes[position] == ASCII.colon, position > start else {
            return .invalid(nameError(bytes, start: start, at: position))
        }
        let name = ByteRange(start: start, count: position &- start)
        position &+= 1
        while position < count, FieldSyntax.isBlank(bytes[position]) { position &+= 1 }
        let valueStart = position
        position = ByteScan.firstControl(in: bytes, from: position)
        while position < count, bytes[position] == ASCII.tab {
            position = ByteScan.firstControl(in: bytes, from: position &+ 1)
        }
        guard position &+ 1 < count else {
            // A CR may be followed by LF; anything else is an error.
            if position == count || bytes[position] == ASCII.carriageReturn { return .needMore }
            return .invalid(bytes[position] == ASCII.lineFeed ? .bareLineFeed : .malformedFieldValue)
        }
        guard bytes[position] == ASCII.carriageReturn, bytes[position &+ 1] == ASCII.lineFeed else {
            return .invalid(valueError(bytes[position]))
        }
        var valueEnd = position
        while valueEnd > valueStart, FieldSyntax.isBlank(bytes[valueEnd &- 1]) { valueEnd &-= 1 }
        let text = bytes.slice(name)
        let token = odd ? .other : HeaderToken.lookup(text)
        let alias = odd ? HeaderToken.lookupAlias(text) : token
        if token == .other, imitatesFraming(text) { return .invalid(.framingAlias) }
        let value = ByteRange(start: valueStart, count: valueEnd &- valueStart)
        return .line(HeaderField(name: name, value: value, token: token, alias: alias), end: position &+ 2)
    }

    /// The error for a character that neither continues a field name nor is a colon.
    private static func nameError(_ bytes: Span<UInt8>, start: Int, at position: Int) -> HTTPParseError {
        let byte = bytes[position]
        if FieldSyntax.isBlank(byte) {
            // RFC 9112 section 5.2 at the start of a line, section 5.1 otherwise.
            return position == start ? .obsoleteFold : .spaceBeforeColon
        }
        return byte == ASCII.lineFeed ? .bareLineFeed : .malformedFieldName
    }

    private static func valueError(_ byte: UInt8) -> HTTPParseError {
        switch byte {
        case ASCII.carriageReturn: .bareCarriageReturn
        case ASCII.lineFeed: .bareLineFeed
        default: .malformedFieldValue
        }
    }

    /// Whether a lenient parser could read the name as one of the two framing fields, such as `Transfer_Encoding`,
    /// `Content-Length!` or `TransferEncoding`.
    private static func imitatesFraming(_ name: Span<UInt8>) -> Bool {
        let count = name.count
        guard count >= 13, count <= 40 else { return false }
        return skeleton(of: name, is: "transferencoding") || skeleton(of: name, is: "contentlength")
    }

    /// Whether the letters and digits of the name are these.
    private static func skeleton(of name: Span<UInt8>, is letters: StaticString) -> Bool {
        var matched = 0
        for i in name.indices {
            let byte = name[i]
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) else { continue }
            guard matched < letters.utf8CodeUnitCount, ASCII.lowercased(byte) == letters.span[matched] else {
                return false
            }
            matched &+= 1
        }
        return matched == letters.utf8CodeUnitCount
    }
}

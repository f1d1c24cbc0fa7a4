import Bytes

/// One field line of a head: the ranges of its name and value in the buffer, and the token of the name.
package struct HeaderField: Equatable, Sendable {
    package var name: ByteRange
    /// The value without surrounding white space (RFC 9112 section 5).
    package var value: ByteRange
    package var token: HeaderToken
    /// The token of the name for an upstream that maps `_`, `.` and the like to `-`. Differs from `token` for names
    /// that imitate another field, whose `token` is `.other`.
    package var alias: HeaderToken

    package init(name: ByteRange, value: ByteRange, token: HeaderToken, alias: HeaderToken? = nil) {
        self.name = name
        self.value = value
        self.token = token
        self.alias = alias ?? token
    }
}

/// The field lines of one head in the order received, found by token in constant time.
///
/// Reused for all heads, with inline storage, so that it never allocates or counts references. Not Sendable: one per
/// worker and direction.
package final class HeaderTable {
    /// Capacity in field lines, which no configured limit exceeds.
    package static let capacity = 256

    private static let noField = HeaderField(name: .empty, value: .empty, token: .other)

    private var fields = InlineArray<256, HeaderField>(repeating: HeaderTable.noField)
    private var used = 0
    /// Index of the first field of each token; valid if `countOfToken` is not 0.
    private var firstOfToken = InlineArray<64, UInt8>(repeating: 0)
    private var countOfToken = InlineArray<64, UInt16>(repeating: 0)

    package init() {}

    package var count: Int { used }
    package var isFull: Bool { used == HeaderTable.capacity }

    package subscript(_ index: Int) -> HeaderField {
        precondition(index < used)
        return fields[index]
    }

    package func removeAll() {
        for i in 0..<used { countOfToken[Int(fields[i].token.rawValue)] = 0 }
        used = 0
    }

    /// Adds a field line; the table must not be full.
    package func append(_ field: HeaderField) {
        let token = Int(field.token.rawValue)
        if countOfToken[token] == 0 { firstOfToken[token] = UInt8(truncatingIfNeeded: used) }
        countOfToken[token] &+= 1
        fields[used] = field
        used &+= 1
    }

    /// How many field lines have this token.
    package func occurrences(_ token: HeaderToken) -> Int { Int(countOfToken[Int(token.rawValue)]) }

    /// The value of the first field line with this token, as a range of the head's buffer.
    package func value(_ token: HeaderToken) -> ByteRange? {
        let token = Int(token.rawValue)
        return countOfToken[token] == 0 ? nil : fields[Int(firstOfToken[token])].value
    }
}

@available(*, unavailable)
extension HeaderTable: Sendable {}

import Bytes

/// One field line of a head: where its name and value stand in the buffer, and the token of the name.
package struct HeaderField: Equatable, Sendable {
    package var name: ByteRange
    /// The value without surrounding white space (RFC 9112 section 5).
    package var value: ByteRange
    package var token: HeaderToken
    /// What the name amounts to for an upstream that maps `_`, `.` and the like to `-`; the same as `token` but for odd
    /// names, where `token` is `.other` and this tells which field is being imitated.
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
/// Reused from head to head so that a warm table allocates nothing. Not Sendable: one per worker and direction.
package final class HeaderTable {
    private var fields: [HeaderField] = []
    /// Index of the first field with each token, -1 where there is none.
    private var firstOfToken: [Int16]
    private var countOfToken: [Int16]

    /// - Parameter capacity: how many field lines are held without growing.
    package init(capacity: Int = 128) {
        fields.reserveCapacity(capacity)
        firstOfToken = Array(repeating: -1, count: HeaderToken.allCases.count)
        countOfToken = Array(repeating: 0, count: HeaderToken.allCases.count)
    }

    package var count: Int { fields.count }

    package subscript(_ index: Int) -> HeaderField { fields[index] }

    package func removeAll() {
        for field in fields {
            firstOfToken[Int(field.token.rawValue)] = -1
            countOfToken[Int(field.token.rawValue)] = 0
        }
        fields.removeAll(keepingCapacity: true)
    }

    package func append(_ field: HeaderField) {
        let token = Int(field.token.rawValue)
        if countOfToken[token] == 0 { firstOfToken[token] = Int16(truncatingIfNeeded: fields.count) }
        countOfToken[token] &+= 1
        fields.append(field)
    }

    /// How many field lines have this token.
    package func occurrences(_ token: HeaderToken) -> Int { Int(countOfToken[Int(token.rawValue)]) }

    /// The value of the first field line with this token, as a range of the head's buffer.
    package func value(_ token: HeaderToken) -> ByteRange? {
        let first = firstOfToken[Int(token.rawValue)]
        return first < 0 ? nil : fields[Int(first)].value
    }
}

@available(*, unavailable)
extension HeaderTable: Sendable {}

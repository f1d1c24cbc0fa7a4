import Bytes

extension HeaderToken {
    /// Length of the longest name that has a token.
    private static let longestName = 38

    private struct Table {
        /// The token of each slot; 0 (`.other`) for an empty one.
        var places = InlineArray<256, UInt8>(repeating: 0)
        /// The name of each token.
        var names = InlineArray<96, FieldName>(repeating: FieldName())
    }

    /// A perfect hash table.
    private static let table: Table = {
        var table = Table()
        for token in allCases where token != .other {
            let name = token.name.span
            let count = name.count
            let place = place(count, name[0], name[count &* 3 / 4], name[count &- 1])
            precondition(table.places[place] == 0, "two header names have one place: choose other factors")
            table.places[place] = token.rawValue
            table.names[Int(token.rawValue)] = FieldName(name)
        }
        return table
    }()

    /// The factors were chosen so that no names of this enumeration collide; `table` checks this at the start.
    @inline(__always)
    private static func place(_ count: Int, _ first: UInt8, _ late: UInt8, _ last: UInt8) -> Int {
        (count &* 64 &+ Int(first | 32) &* 153 &+ Int(last | 32) &* 72 &+ Int(late | 32) &* 79) & 255
    }

    /// The token of a case-insensitive name; `.other` for an unknown one.
    package static func lookup(_ name: Span<UInt8>) -> HeaderToken {
        let count = name.count
        guard count >= 2, count <= longestName else { return .other }
        let place = place(count, name[0], name[count &* 3 / 4], name[count &- 1])
        let number = table.places[place]
        guard number != 0, table.names[Int(number)].matches(name) else { return .other }
        return HeaderToken(rawValue: number) ?? .other
    }

    /// The token of a name for upstreams that map `_`, `.` and the like to `-`, as CGI, WSGI and PHP do: they read
    /// `x_gateway.user` as `X-Gateway-User` (other gateways' CVE-2025-64484, CVE-2026-88011).
    package static func lookupAlias(_ name: Span<UInt8>) -> HeaderToken {
        let count = name.count
        guard count >= 2, count <= longestName else { return .other }
        var plain = InlineArray<40, UInt8>(repeating: 0)
        for i in 0..<count {
            let byte = name[i]
            plain[i] = ASCII.isLetter(byte) || ASCII.isDigit(byte) ? byte : 45
        }
        return lookup(plain.span.extracting(0..<count))
    }
}

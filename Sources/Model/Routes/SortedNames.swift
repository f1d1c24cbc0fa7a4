import Bytes

/// A small dictionary from names to numbers with binary search. All names are in one buffer, so that a search does no
/// reference counting and allocates nothing.
package struct SortedNames: Sendable {
    private var text: [UInt8] = []
    private var ranges: [ByteRange] = []
    private var values: [Int32] = []
    private let ignoresCase: Bool

    /// - Parameter ignoringCase: for lower-case names and case-insensitive lookups.
    package init(_ pairs: [(name: [UInt8], value: Int32)], ignoringCase: Bool) {
        ignoresCase = ignoringCase
        for (name, value) in pairs.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            ranges.append(ByteRange(start: text.count, count: name.count))
            text += name
            values.append(value)
        }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of this name, or -1.
    package func value(of name: Span<UInt8>) -> Int32 {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            let order = order(of: name, relativeTo: ranges[middle])
            if order == 0 { return values[middle] }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return -1
    }

    /// Negative, zero or positive if the name is before, equal to or after the one of this range.
    private func order(of name: Span<UInt8>, relativeTo range: ByteRange) -> Int {
        let other = text.span.slice(range)
        for i in 0..<min(name.count, other.count) {
            let byte = ignoresCase ? ASCII.lowercased(name[i]) : name[i]
            if byte != other[i] { return Int(byte) - Int(other[i]) }
        }
        return name.count - other.count
    }
}

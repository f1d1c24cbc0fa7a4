import Bytes

/// A small dictionary from lower-case names to numbers, searched in halves, without case, without allocation.
struct SortedNames: Sendable {
    private let names: [[UInt8]]
    private let values: [Int32]

    init(_ pairs: [(name: [UInt8], value: Int32)]) {
        let sorted = pairs.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        names = sorted.map(\.name)
        values = sorted.map(\.value)
    }

    var isEmpty: Bool { names.isEmpty }

    /// The number of this name, -1 where there is none.
    func value(of name: Span<UInt8>) -> Int32 {
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            let order = SortedNames.order(name, names[middle].span)
            if order == 0 { return values[middle] }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return -1
    }

    /// Negative, zero or positive as the name, put in lower case, stands before, at or after the other.
    private static func order(_ name: Span<UInt8>, _ other: Span<UInt8>) -> Int {
        for i in 0..<min(name.count, other.count) {
            let difference = Int(ASCII.lowercased(name[i])) - Int(other[i])
            if difference != 0 { return difference }
        }
        return name.count - other.count
    }
}

import Bytes

/// Quantities with a unit, such as `90d` and `64KiB`, and what other notations of them mean.
package enum Quantity {
    package typealias Unit = (suffix: String, size: Int)

    /// In milliseconds.
    package static let durations: [Unit] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
    /// In bytes. `B` ends all of them, so that it comes last.
    package static let sizes: [Unit] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)]
    /// In milliseconds.
    private static let lifetimes: [Unit] = [
        ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The unit and the number directly before it; nil for every other text.
    package static func parse(_ text: String, _ units: [Unit]) -> (number: Int, unit: Unit)? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Decimal.parse(Array(text.utf8.dropLast(unit.suffix.utf8.count)).span)
        else { return nil }
        return (number, unit)
    }

    /// Seconds of a lifetime of at most 100 years, such as `24h` or `90d`.
    package static func lifetime(_ text: String) -> Int64? {
        guard let (number, unit) = parse(text, lifetimes), number <= 3_153_600_000_000 / unit.size else { return nil }
        return Int64(number * (unit.size / 1000))
    }

    /// What is wrong with a text that is no lifetime; nil for one that is.
    /// - Parameter isValidity: whether something new is good for that long, so that it must not be zero.
    package static func problem(ofLifetime text: String, isValidity: Bool = false) -> String? {
        if let seconds = lifetime(text) {
            return isValidity && seconds == 0
                ? "zero: what is made now would have ended already; expected a duration such as \"24h\" or \"90d\""
                : nil
        }
        let near = suggestion(for: text, lifetimes).map { "; did you mean \"\($0)\"?" } ?? ""
        return "not a duration of at most 100 years such as \"24h\" or \"90d\": \"\(text.prefix(60))\"\(near)"
    }

    /// The quantity in these units that a text in another notation means: `minute`, `90 days`, `1h30m`, `10MB`.
    package static func suggestion(for text: String, _ units: [Unit]) -> String? {
        let words = units.contains { $0.suffix == "B" } ? sizeWords : durationWords
        var rest = text.lowercased().filter { $0 != " " }[...]
        guard rest.count <= 40, !rest.isEmpty else { return nil }
        var (total, parts, last) = (0, 0, 0)
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let word = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            // A word alone is one of it.
            guard let size = words[String(word)], let number = digits.isEmpty && parts == 0 ? 1 : Int(digits) else {
                return nil
            }
            let (product, overflow) = number.multipliedReportingOverflow(by: size)
            guard !overflow, product <= .max - total else { return nil }
            (total, parts, last) = (total + product, parts + 1, size)
            rest = rest.dropFirst(digits.count + word.count)
        }
        let exact = units.filter { total % $0.size == 0 }.max { $0.size < $1.size }
        guard let unit = (parts == 1 ? units.first { $0.size == last } : nil) ?? exact else { return nil }
        return "\(total / unit.size)\(unit.suffix)"
    }

    private static let durationWords = table([
        (1, "ms msec msecs millisecond milliseconds"), (1000, "s sec secs second seconds"),
        (60_000, "m min mins minute minutes"), (3_600_000, "h hr hrs hour hours"), (86_400_000, "d day days"),
        (604_800_000, "w week weeks"), (31_536_000_000, "y year years"),
    ])

    private static let sizeWords = table([
        (1, "b byte bytes"), (1 << 10, "k kb kib"), (1 << 20, "m mb mib"), (1 << 30, "g gb gib"),
    ])

    private static func table(_ lines: [(size: Int, words: String)]) -> [String: Int] {
        var table: [String: Int] = [:]
        for (size, words) in lines { for word in words.split(separator: " ") { table[String(word)] = size } }
        return table
    }
}

import Bytes

/// Durations, sizes, times, and the seconds of keys that end in `Seconds`.
extension Field {
    /// `"30s"`, `"250ms"`, `"5m"`, `"1h"`: a length of time up to a year.
    /// - Parameter least: the minimum in milliseconds; with 0, `"0s"` is allowed.
    package func duration(from least: Int = 1) -> Duration? {
        let expected = "a duration such as \"30s\", \"250ms\", \"5m\" or \"1h\""
        guard let text = node.string else {
            // A bare number is a common mistake.
            let suggestion = node.integer.map { "\($0)s" }
            return error("wrong type", expected: expected, found: summary, suggestion: suggestion)
        }
        guard let (number, unit) = Quantity.parse(text, Quantity.durations) else {
            return invalid(expected, suggestion: Quantity.suggestion(for: text, Quantity.durations))
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.size)
        guard !overflow, milliseconds >= least, milliseconds <= 366 * 24 * 3_600_000 else {
            return error("out of range", expected: "a duration from \"\(least)ms\" to \"8784h\"", found: summary)
        }
        return .milliseconds(milliseconds)
    }

    /// A length of time in whole seconds, as a JSON number, up to ten years.
    package func seconds() -> Int? { integer(in: 1...315_360_000, "a number of seconds") }

    /// A second since 1970.
    package func instant() -> Int64? {
        integer(in: 0...253_402_300_799, "a time in seconds since 1970").map(Int64.init)
    }

    /// `"64KiB"`, `"1MiB"`, `"2GiB"`, `"512B"`, or a number of bytes.
    package func size(in range: ClosedRange<Int>) -> Int? {
        let expected = "a size such as \"64KiB\" or \"1MiB\", or a number of bytes"
        var bytes = findings.plain(node, at: pointer).integer.map(Int.init)
        if bytes == nil {
            guard let text = node.string else { return wrongType(expected) }
            guard let (number, unit) = Quantity.parse(text, Quantity.sizes) else {
                return invalid(expected, suggestion: Quantity.suggestion(for: text, Quantity.sizes))
            }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.size)
            bytes = overflow ? .max : product
        }
        guard let bytes, range.contains(bytes), bytes < .max else {
            let limits =
                range.upperBound == .max
                ? "a size of at least \(range.lowerBound) bytes"
                : "a size from \(range.lowerBound) to \(range.upperBound) bytes"
            return error("out of range", expected: limits, found: summary)
        }
        return bytes
    }
}

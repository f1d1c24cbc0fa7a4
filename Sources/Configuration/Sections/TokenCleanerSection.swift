import Bytes
import Declaration

/// When expired tokens are deleted (AOM-23).
package struct TokenCleanerSection: Sendable {
    package var isEnabled: Bool
    /// Minutes since local midnight.
    package var minuteOfDay: Int

    static func read(_ object: inout ObjectReader) -> TokenCleanerSection {
        TokenCleanerSection(
            isEnabled: object.flag("enabled", default: true, "Whether expired tokens are deleted."),
            minuteOfDay: object.value("at", time, default: 4 * 60, "Local time of day of the daily run."))
    }

    private static let time = Shape(
        .pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$"),
        write: { minutes in
            .text("\([minutes / 60, minutes % 60].map { "\($0 / 10)\($0 % 10)" }.joined(separator: ":"))")
        }, read: { $0.timeOfDay() })
}

extension Field {
    /// `"04:00"`, as minutes since midnight.
    fileprivate func timeOfDay() -> Int? {
        let expected = "a time of day such as \"04:00\""
        guard let text = text(expected) else { return nil }
        let parts = text.utf8.split(separator: ASCII.colon, omittingEmptySubsequences: false).map(Array.init)
        let numbers = parts.filter { $0.count == 2 }.compactMap { Decimal.parse($0.span) }
        guard parts.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else { return invalid(expected) }
        return numbers[0] * 60 + numbers[1]
    }
}

import Bytes

/// When expired tokens are deleted (AOM-23).
package struct TokenCleanerSection: Sendable {
    package var isEnabled = true
    /// Minutes since local midnight.
    package var minuteOfDay = 4 * 60

    static func read(_ field: Field) -> TokenCleanerSection? {
        var object = field.object("an object with \"enabled\" and \"at\"")
        let section = TokenCleanerSection(
            isEnabled: object.flag("enabled", default: true),
            minuteOfDay: object.value("at", default: 4 * 60) { $0.timeOfDay() })
        object.finish()
        return section
    }
}

extension Field {
    /// `"04:00"`, as minutes since midnight.
    fileprivate func timeOfDay() -> Int? {
        let expected = "a time of day such as \"04:00\""
        guard let text = text(expected) else { return nil }
        let parts = text.utf8.split(separator: ASCII.colon, omittingEmptySubsequences: false).map(Array.init)
        let numbers = parts.filter { $0.count == 2 }.compactMap { Decimal.parse($0.span) }
        guard parts.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
            invalid(expected)
            return nil
        }
        return numbers[0] * 60 + numbers[1]
    }
}

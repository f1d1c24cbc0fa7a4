extension InternetDate {
    /// Seconds since 1970 up to the end of the year 9999.
    package static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// Seconds since 1970, without fractions, of a date such as `2026-02-03T04:05:06.789Z`; nil for another text.
    ///
    /// Zones other than UTC are honoured; a text without a zone is UTC.
    package static func seconds(_ text: String) -> Int64? { seconds(Array(text.utf8)) }

    private static func seconds(_ text: [UInt8]) -> Int64? {
        var rest = text[...]
        guard let year = digits(4, &rest), pop("-", &rest), let month = digits(2, &rest), pop("-", &rest),
            let day = digits(2, &rest), pop("T", &rest), let hour = digits(2, &rest), pop(":", &rest),
            let minute = digits(2, &rest), pop(":", &rest), let second = digits(2, &rest)
        else { return nil }
        if pop(".", &rest) {
            let fraction = rest.prefix { isDigit($0) }
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        // A leap second counts as the first second of the next minute.
        guard (1...9999).contains(year), (1...12).contains(month), (1...length(of: month, in: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.isEmpty || pop("Z", &rest) { return 0 }
        let isWest = pop("-", &rest)
        guard isWest || pop("+", &rest), let hour = digits(2, &rest), pop(":", &rest), let minute = digits(2, &rest),
            hour <= 14, minute < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hour * 3600 + minute * 60)
    }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day comes last; 400
    /// years have 146,097 days.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let yearOfEra = shifted % 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        return shifted / 400 * 146_097 + dayOfEra - 719_468
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.count >= count, rest.prefix(count).allSatisfy(isDigit) else { return nil }
        let number = rest.prefix(count).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        rest = rest.dropFirst(count)
        return number
    }

    private static func pop(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}

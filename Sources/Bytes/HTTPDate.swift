/// The date of HTTP fields, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Bytes of one date.
    package static let length = 29

    private static let days = Array("SunMonTueWedThuFriSat".utf8)
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    /// 9999-12-31T23:59:59Z, the last date that can be written; the first is 0000-03-01.
    static let range: ClosedRange<Int64> = -62_162_208_000...253_402_300_799

    /// Appends a date to a chunk that has `length` bytes free. Dates outside the years 0 to 9999 are clamped.
    package static func append(_ secondsSince1970: Int64, to chunk: Chunk) {
        chunk.append(bytes(secondsSince1970).span)
    }

    /// The date as text.
    package static func bytes(_ secondsSince1970: Int64) -> [UInt8] {
        let seconds = min(max(secondsSince1970, range.lowerBound), range.upperBound)
        let dayNumber = Int(seconds >= 0 ? seconds / 86_400 : (seconds &- 86_399) / 86_400)
        let second = Int(seconds) &- dayNumber &* 86_400
        let (year, month, day) = date(dayNumber: dayNumber)
        // 1970-01-01 was a Thursday.
        let weekday = ((dayNumber &+ 4) % 7 &+ 7) % 7

        var text: [UInt8] = []
        text.reserveCapacity(length)
        text.append(contentsOf: days[weekday &* 3..<weekday &* 3 &+ 3])
        text.append(contentsOf: [ASCII.comma, ASCII.space])
        append(two: day, to: &text)
        text.append(ASCII.space)
        text.append(contentsOf: months[(month &- 1) &* 3..<month &* 3])
        text.append(ASCII.space)
        append(two: year / 100, to: &text)
        append(two: year % 100, to: &text)
        text.append(ASCII.space)
        append(two: second / 3600, to: &text)
        text.append(ASCII.colon)
        append(two: second / 60 % 60, to: &text)
        text.append(ASCII.colon)
        append(two: second % 60, to: &text)
        text.append(contentsOf: " GMT".utf8)
        return text
    }

    static func append(two number: Int, to text: inout [UInt8]) {
        text.append(UInt8(48 &+ number / 10))
        text.append(UInt8(48 &+ number % 10))
    }

    /// Year, month and day of the Gregorian calendar for a count of days since 1970-01-01. Years are counted from
    /// 1 March, so that the leap day comes last; 400 of them have 146,097 days.
    static func date(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        let shifted = dayNumber &+ 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let marchMonth = (5 &* dayOfYear &+ 2) / 153
        let day = dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1
        let month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
        return (yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0), month, day)
    }
}

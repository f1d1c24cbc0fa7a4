/// Dates as `2026-11-22T08:54:11Z`, in UTC (RFC 3339 section 5.6, XML Schema part 2 section 3.2.7).
package enum InternetDate {
    package static func text(_ secondsSince1970: Int64) -> String {
        String(decoding: bytes(secondsSince1970), as: UTF8.self)
    }

    /// The date as text. Dates outside the years 0 to 9999 are clamped, as those of `HTTPDate`.
    package static func bytes(_ secondsSince1970: Int64) -> [UInt8] {
        let seconds = min(max(secondsSince1970, HTTPDate.range.lowerBound), HTTPDate.range.upperBound)
        let dayNumber = Int(seconds >= 0 ? seconds / 86_400 : (seconds &- 86_399) / 86_400)
        let second = Int(seconds) &- dayNumber &* 86_400
        let (year, month, day) = HTTPDate.date(dayNumber: dayNumber)
        var text: [UInt8] = []
        HTTPDate.append(two: year / 100, to: &text)
        HTTPDate.append(two: year % 100, to: &text)
        for (separator, number) in [
            (UInt8(ascii: "-"), month), (UInt8(ascii: "-"), day), (UInt8(ascii: "T"), second / 3600),
            (ASCII.colon, second / 60 % 60), (ASCII.colon, second % 60),
        ] {
            text.append(separator)
            HTTPDate.append(two: number, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
        return text
    }
}

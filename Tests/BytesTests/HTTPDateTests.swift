import Bytes
import Foundation
import Testing

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, text: String) {
        #expect(String(decoding: HTTPDate.bytes(seconds), as: UTF8.self) == text)
    }

    @Test func agreesWithFoundation() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for step in stride(from: Int64(-2_000_000_000), to: 8_000_000_000, by: 12_345_678) {
            let expected = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(step)))
            #expect(String(decoding: HTTPDate.bytes(step), as: UTF8.self) == expected)
        }
    }

    @Test func appends() {
        let chunk = Chunk(capacity: HTTPDate.length)
        HTTPDate.append(0, to: chunk)
        #expect(chunk.free == 0)
        let span = chunk.readable
        #expect(span.indices.map { span[$0] } == HTTPDate.bytes(0))
    }
}

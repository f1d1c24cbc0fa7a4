import Bytes
import Testing

@Suite struct InternetDateTests {
    @Test(
        "RFC 3339: dates in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_800_000_000, "2027-01-15T08:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (Int64.max, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func text(_ seconds: Int64, _ expected: String) {
        #expect(String(decoding: InternetDate.bytes(seconds), as: UTF8.self) == expected)
    }
}

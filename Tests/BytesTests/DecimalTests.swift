import Bytes
import Testing

@Suite struct DecimalTests {
    @Test(arguments: [("0", 0), ("007", 7), ("42", 42), ("9223372036854775807", .max)] as [(String, Int)])
    func numbers(text: String, value: Int) {
        #expect(Decimal.parse(Array(text.utf8).span) == value)
    }

    @Test(arguments: [
        "", "+5", "-5", "0x5", "5,5", " 5", "5 ", "5\0", "1_000", "٥", "5.0", "9223372036854775808",
        "18446744073709551617", "99999999999999999999999",
    ])
    func refuses(text: String) {
        #expect(Decimal.parse(Array(text.utf8).span) == nil)
    }
}

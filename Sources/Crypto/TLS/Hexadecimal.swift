import Bytes

/// Lower-case hexadecimal text.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of a text in either case; nil for other text.
    static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.map(ASCII.hexadecimalValue)
        guard values.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for i in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[i], let low = values[i + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

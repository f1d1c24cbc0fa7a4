/// Lower-case hexadecimal digits of some bytes.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }.joined()
}

/// The bytes of a text of hexadecimal digits.
func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue }
    precondition(digits.count == text.count && digits.count % 2 == 0)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

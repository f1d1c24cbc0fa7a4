/// The two forms of an ECDSA signature: JOSE's r and s side by side, each of the curve's length (RFC 7518 section 3.4),
/// and libcrypto's DER sequence of two integers.
enum ECDSASignature {
    /// The DER form; nil for a wrong length or a zero half (the "psychic" signature, CVE-2022-21449).
    static func der(fromRaw raw: Span<UInt8>, _ curve: EllipticCurve) -> [UInt8]? {
        let length = curve.coordinateLength
        guard raw.count == 2 * length else { return nil }
        guard let r = significant(raw, 0..<length), let s = significant(raw, length..<2 * length) else { return nil }
        let rCount = integerLength(raw, r)
        let sCount = integerLength(raw, s)
        let content = rCount + sCount + 4
        var der: [UInt8] = []
        der.reserveCapacity(content + 3)
        der.append(0x30)
        if content >= 128 { der.append(0x81) }
        der.append(UInt8(content))
        appendInteger(raw, r, count: rCount, to: &der)
        appendInteger(raw, s, count: sCount, to: &der)
        return der
    }

    /// The raw form of a DER signature; nil unless it is a sequence of two integers of the curve.
    static func raw(fromDER der: Span<UInt8>, _ curve: EllipticCurve) -> [UInt8]? {
        var reader = DERReader(position: 0)
        guard let content = reader.enter(0x30, der), content.upperBound == der.count else { return nil }
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * curve.coordinateLength)
        for _ in 0..<2 {
            guard let whole = reader.enter(0x02, der) else { return nil }
            reader.position = whole.upperBound
            guard let range = significant(der, whole), range.count <= curve.coordinateLength else { return nil }
            raw.append(contentsOf: repeatElement(0, count: curve.coordinateLength - range.count))
            for i in range { raw.append(der[i]) }
        }
        return reader.position == der.count ? raw : nil
    }

    /// The range without leading zeros; nil if nothing remains.
    private static func significant(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        while start < range.upperBound, bytes[start] == 0 { start += 1 }
        return start < range.upperBound ? start..<range.upperBound : nil
    }

    /// Length of the content of a DER integer, which has a zero in front of a set highest bit.
    private static func integerLength(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        range.count + Int(bytes[range.lowerBound] >> 7)
    }

    private static func appendInteger(
        _ bytes: Span<UInt8>, _ range: Range<Int>, count: Int, to der: inout [UInt8]
    ) {
        der.append(0x02)
        der.append(UInt8(count))
        if count > range.count { der.append(0) }
        for i in range { der.append(bytes[i]) }
    }

    private struct DERReader {
        var position: Int

        /// Steps over tag and length; the range of the content.
        mutating func enter(_ tag: UInt8, _ bytes: Span<UInt8>) -> Range<Int>? {
            guard position + 2 <= bytes.count, bytes[position] == tag else { return nil }
            var count = Int(bytes[position + 1])
            position += 2
            if count == 0x81 {
                guard position < bytes.count else { return nil }
                count = Int(bytes[position])
                position += 1
            } else if count > 0x7f {
                return nil
            }
            guard position + count <= bytes.count else { return nil }
            return position..<position + count
        }
    }
}

import Bytes
import Identity

extension RequestContext {
    /// The layout of a genuine context, percent-encoded; clients copy it verbatim (DEC-05).
    static let opening = Array("encquery%3D".utf8)
    private static let agent = Array("%20agentid%3D".utf8)
    private static let end = Array("%20ver%3D1%20crmethod%3D2".utf8)

    static func closing(webgate name: [UInt8]) -> [UInt8] { agent + name + end }

    private static let version: UInt8 = 1

    /// The sealed part's plaintext: version, expiry, level, then Webgate, method and target, each with its length.
    static func plaintext(
        webgate: Span<UInt8>, level: Int, method: Span<UInt8>, target: Span<UInt8>, expiresAt: Int64
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + webgate.count + method.count + target.count)
        bytes.append(version)
        append(UInt64(bitPattern: expiresAt), 8, to: &bytes)
        append(UInt64(level), 1, to: &bytes)
        append(webgate, to: &bytes)
        append(method, to: &bytes)
        append(target, to: &bytes)
        return bytes
    }

    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(text.count), 2, to: &bytes)
        for i in text.indices { bytes.append(text[i]) }
    }

    /// - Parameter plaintext: output of `plaintext`; nil for other input.
    init?(plaintext: Span<UInt8>) {
        guard plaintext.count >= 16, plaintext[0] == RequestContext.version else { return nil }
        let expiresAt = Int64(bitPattern: RequestContext.number(plaintext, at: 1, 8))
        let level = Int(plaintext[9])
        var position = 10
        var texts: [String] = []
        while texts.count < 3 {
            guard position + 2 <= plaintext.count else { return nil }
            let count = Int(RequestContext.number(plaintext, at: position, 2))
            position += 2
            guard position + count <= plaintext.count else { return nil }
            texts.append(String(copying: plaintext.extracting(position..<(position + count))))
            position += count
        }
        guard position == plaintext.count else { return nil }
        self.init(webgate: texts[0], level: level, method: texts[1], target: texts[2], expiresAt: expiresAt)
    }

    private static func append(_ value: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for i in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
    }

    private static func number(_ bytes: Span<UInt8>, at start: Int, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for i in start..<(start + count) { value = value << 8 | UInt64(bytes[i]) }
        return value
    }

    /// Ranges of the sealed part and the Webgate in a `request-ctx`; nil for another layout.
    static func sealedRange(in text: Span<UInt8>) -> (sealed: Range<Int>, webgate: Range<Int>)? {
        guard text.count > opening.count + agent.count + end.count,
            bytesEqual(text.extracting(first: opening.count), opening.span),
            bytesEqual(text.extracting(last: end.count), end.span)
        else { return nil }
        var position = opening.count
        // The alphabet of the sealed part has no `%`.
        while position < text.count, text[position] != ASCII.percent { position += 1 }
        let nameStart = position + agent.count
        let nameEnd = text.count - end.count
        guard nameStart <= nameEnd, bytesEqual(text.extracting(position..<nameStart), agent.span) else { return nil }
        return (opening.count..<position, nameStart..<nameEnd)
    }
}

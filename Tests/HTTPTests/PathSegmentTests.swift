import HTTP
import Testing

@Suite struct PathSegmentTests {
    private func decoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let segment = PathSegment.decode(bytes.span)
        return segment
    }

    @Test(arguments: ["joe", "jo/é", "a b%20+&=?#", "..", "-._~", ""])
    func whatIsEncodedIsDecoded(_ name: String) {
        let segment = PathSegment.encode(name)
        #expect(segment.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#&=+".utf8.contains($0) })
        #expect(decoded(segment) == name)
    }

    /// Cut off, no hexadecimal digits, no UTF-8, control characters, marks without end.
    @Test(
        arguments: [
            "%", "%4", "a%4", "%zz", "%ff", "%c3%28", "%00", "a%0a", "%7f", String(repeating: "%cc%81", count: 31),
        ])
    func whatIsNoNameIsRefused(_ segment: String) { #expect(decoded(segment) == nil) }
}

import Bytes
import Testing

/// What is found in words and in longer steps is what is found byte by byte.
@Suite struct ByteScanTests {
    private static let fillings: [UInt8] = [0x20, 0x61, 0x7e, 0x80, 0xff]
    private static let lengths = Array(0...40) + [63, 64, 65, 71, 72, 95, 96, 97, 127, 128, 129, 200]

    private func control(_ bytes: [UInt8], _ start: Int) -> Int { ByteScan.firstControl(in: bytes.span, from: start) }

    private func first(_ byte: UInt8, _ bytes: [UInt8], _ start: Int) -> Int {
        ByteScan.first(byte, in: bytes.span, from: start)
    }

    @Test("GW-09: control characters, at every place", arguments: fillings)
    func controls(_ filling: UInt8) {
        for length in Self.lengths {
            var bytes = [UInt8](repeating: filling, count: length)
            for start in [0, 1, 7, 8].filter({ $0 <= length }) { #expect(control(bytes, start) == length) }
            for place in 0..<length {
                for byte in [0x00, 0x09, 0x0d, 0x1f, 0x7f] as [UInt8] {
                    bytes[place] = byte
                    if control(bytes, 0) != place || control(bytes, place) != place
                        || control(bytes, place + 1) != length
                    {
                        Issue.record("\(byte) at \(place) of \(length)")
                    }
                }
                bytes[place] = filling
            }
        }
    }

    @Test("what ends a name of letters, digits and hyphens, at every place")
    func names() {
        func isName(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2d }
        func end(_ bytes: [UInt8], _ start: Int) -> Int { ByteScan.firstBesideName(in: bytes.span, from: start) }
        for filling in [0x41, 0x5a, 0x61, 0x7a, 0x30, 0x39, 0x2d] as [UInt8] {
            for length in Array(0...24) + [40] {
                var bytes = [UInt8](repeating: filling, count: length)
                for start in [0, 1, 7, 8].filter({ $0 <= length }) { #expect(end(bytes, start) == length) }
                for place in 0..<length {
                    for byte in UInt8.min...UInt8.max {
                        bytes[place] = byte
                        if end(bytes, 0) != (isName(byte) ? length : place) || end(bytes, place + 1) != length {
                            Issue.record("\(byte) at \(place) of \(length)")
                        }
                    }
                    bytes[place] = filling
                }
            }
        }
    }

    @Test(
        "what a JSON string can't have as it is, at every place",
        arguments: fillings + [0x21, 0x23, 0x5b, 0x5d, 0x7f])
    func escaped(_ filling: UInt8) {
        func escaped(_ bytes: [UInt8], _ start: Int) -> Int { ByteScan.firstEscaped(in: bytes.span, from: start) }
        for length in Self.lengths {
            var bytes = [UInt8](repeating: filling, count: length)
            #expect(escaped(bytes, 0) == length)
            for place in 0..<length {
                for byte in [0x00, 0x0a, 0x1f, 0x22, 0x5c] as [UInt8] {
                    bytes[place] = byte
                    if escaped(bytes, 0) != place || escaped(bytes, place) != place
                        || escaped(bytes, place + 1) != length
                    {
                        Issue.record("\(byte) at \(place) of \(length)")
                    }
                }
                bytes[place] = filling
            }
        }
    }

    @Test(
        "a byte, at every place, beside bytes that differ from it by a bit", arguments: [0x2e, 0x00, 0xff] as [UInt8])
    func bytes(_ byte: UInt8) {
        for filling in [byte ^ 1, byte ^ 0x80, byte &+ 1, byte &- 1] {
            for length in Self.lengths {
                var bytes = [UInt8](repeating: filling, count: length)
                #expect(first(byte, bytes, 0) == length)
                for place in 0..<length {
                    bytes[place] = byte
                    if first(byte, bytes, 0) != place || first(byte, bytes, place) != place
                        || first(byte, bytes, place + 1) != length
                    {
                        Issue.record("\(byte) at \(place) of \(length)")
                    }
                    bytes[place] = filling
                }
            }
        }
    }
}

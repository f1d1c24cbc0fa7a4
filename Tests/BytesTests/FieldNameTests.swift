import Bytes
import Testing

/// Names are the same in words as they are byte by byte.
@Suite struct FieldNameTests {
    private static let alphabet = Array("Aa0-Zz9".utf8)

    private func matches(_ name: [UInt8], _ text: [UInt8]) -> Bool { FieldName(name.span).matches(text.span) }

    @Test("each byte, at every place of names of every length", arguments: 1...FieldName.capacity)
    func everyByte(_ length: Int) {
        let name = (0..<length).map { Self.alphabet[$0 % Self.alphabet.count] }
        #expect(matches(name, name))
        #expect(matches(name, name.map { ASCII.isLetter($0) ? $0 ^ 32 : $0 }))
        for place in name.indices {
            var text = name
            for byte in UInt8.min...UInt8.max {
                text[place] = byte
                if matches(name, text) != (ASCII.lowercased(byte) == ASCII.lowercased(name[place])) {
                    Issue.record("\(byte) at \(place) of \(length)")
                }
            }
        }
    }

    @Test("a beginning of the name, or more than it, is another", arguments: 1...FieldName.capacity)
    func everyLength(_ length: Int) {
        let name = [UInt8](repeating: 0x61, count: length)
        for other in 0...80 where other != length {
            #expect(!matches(name, [UInt8](repeating: 0x61, count: other)))
        }
        for filling in [0x00, 0x20] as [UInt8] {
            #expect(!matches(name, Array(name.dropLast()) + [filling]))
            #expect(!matches(name, name + [filling]))
        }
    }

    @Test func noNameMatchesNothing() {
        func matches(_ text: [UInt8]) -> Bool { FieldName().matches(text.span) }
        #expect(matches([]))
        #expect(!matches([0]))
    }
}

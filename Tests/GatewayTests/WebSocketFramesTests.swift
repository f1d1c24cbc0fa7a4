import Bytes
import Testing

@testable import Gateway

/// RFC 6455 section 5.2
@Suite struct WebSocketFramesTests {
    private static func frame(_ opcode: UInt8, _ length: Int, masked: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = [128 | opcode]
        let mask: UInt8 = masked ? 128 : 0
        switch length {
        case ..<126: bytes.append(mask | UInt8(length))
        case ..<65536: bytes += [mask | 126, UInt8(length >> 8), UInt8(length & 255)]
        default:
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(length >> shift & 255)) }
        }
        if masked { bytes += [1, 2, 3, 4] }
        return bytes + [UInt8](repeating: 0x88, count: length)
    }

    /// However the frames are cut, there is room for another one exactly at their ends.
    @Test(arguments: [1, 2, 3, 7, 100_000]) func knowsWhereAFrameEnds(_ size: Int) {
        var stream: [UInt8] = []
        var borders: Set<Int> = [0]
        for (length, masked) in [(0, false), (5, true), (125, false), (126, true), (300, false), (70_000, true)] {
            stream += Self.frame(2, length, masked: masked)
            borders.insert(stream.count)
        }
        var frames = WebSocketFrames()
        var position = 0
        while position < stream.count {
            let end = min(position + size, stream.count)
            let piece = Array(stream[position..<end])
            frames.advance(piece.span)
            position = end
            #expect(frames.takesFrame == borders.contains(position), "at \(position)")
        }
    }

    @Test func nothingFollowsAClose() {
        var frames = WebSocketFrames()
        frames.advance(Self.frame(8, 2).span)
        #expect(!frames.takesFrame)
    }

    /// A length that no peer can mean does not end the process.
    @Test func theLongestLengthIsTaken() {
        var frames = WebSocketFrames()
        let header: [UInt8] = [130, 127] + [UInt8](repeating: 255, count: 8)
        frames.advance(header.span)
        frames.advance([UInt8](repeating: 0, count: 100).span)
        #expect(!frames.takesFrame)
    }

    @Test func aCloseFrameSaysWhy() {
        let chunk = Chunk(capacity: 16)
        WebSocketFrames.appendClose(1008, reason: "tunnel_expired", to: chunk)
        let bytes = chunk.readable
        #expect((0..<bytes.count).map { bytes[$0] } == [0x88, 16, 0x03, 0xF0] + Array("tunnel_expired".utf8))
        let long = Chunk(capacity: 16)
        WebSocketFrames.appendClose(1001, reason: String(repeating: "x", count: 500), to: long)
        #expect(long.count == 127)
    }
}

import Bytes
import Testing

@testable import HTTP

/// Damaged messages: no crash, and one outcome however the bytes are cut. The seed is fixed; a failure names its bytes.
@Suite struct MutationTests {
    private static let requests = RequestParserTests.accepted.map(\.bytes) + RequestParserTests.refused.map(\.bytes)
    private static let responses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: x, close\r\n\r\n5;a=\"b\"\r\nhello\r\n0\r\nDigest: x\r\n\r\n",
        "HTTP/1.0 304 Not Modified\r\nServer: x\r\n\r\n",
    ].map(\.bytes)

    /// Bytes that have a meaning somewhere, and pieces that have one together.
    private static let pieces = [
        "\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", ",", ";", "\"", "\\", "\0", "0", "5", "f", "+", "-", "_",
        "\u{7f}", "\u{e9}", "%2e", "/", "..",
        "chunked", "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", "Host: b\r\n", "HTTP/1.1", "0\r\n\r\n",
    ].map(\.bytes)

    private func mutate(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            case 3: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default:
                let end = Int.random(in: place...min(bytes.count, place + 20), using: &random)
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            }
        }
        return bytes
    }

    private func run(_ corpus: [[UInt8]], _ side: MessageReader.Side, seed: UInt64, count: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<count {
            let bytes = mutate(corpus.randomElement(using: &random) ?? [], &random)
            let whole = MessageReader.read(bytes, side)
            let cut = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
            for outcome in [MessageReader.read(bytes, side, cutAt: [cut]), MessageReader.readByteByByte(bytes, side)] {
                if outcome == whole || (whole.error != nil && outcome == .incomplete) { continue }
                Issue.record("\(bytes) cut at \(cut): \(outcome), whole: \(whole)")
            }
        }
    }

    @Test("7000 damaged requests") func requests() { run(Self.requests, .request, seed: 1, count: 7_000) }

    @Test("3000 damaged responses") func responses() { run(Self.responses, .response(to: .get), seed: 2, count: 3_000) }

    @Test("2000 random chunked bodies")
    func chunked() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".bytes
        let bodies = [
            "5;a=b\r\nhello\r\n0\r\nX: y\r\nContent-Length: 3\r\n\r\nrest",
            "a;x=\"y;\\\"z\"\r\n0123456789\r\n00\r\n\r\n",
        ].map(\.bytes)
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let bytes = head + mutate(bodies.randomElement(using: &random) ?? [], &random)
            let whole = MessageReader.read(bytes, .request)
            let drip = MessageReader.readByteByByte(bytes, .request)
            if drip != whole { Issue.record("\(bytes): \(drip), whole: \(whole)") }
        }
    }
}

import Bytes
import Foundation
import Model
import Testing

@testable import HTTP

/// What one exchange costs a server's session: a head like curl's, the checks, a response of 32 bytes. Runs in release
/// builds on demand (`PORTCULLIS_BENCH=1`); everywhere else a few rounds prove that it still works.
@Suite struct H2Bench {
    /// Ten heads.
    private static func heads(_ block: [UInt8], from first: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        for i in 0..<10 { bytes += H2Frames.frame(1, flags: 5, stream: first + UInt32(2 * i), block) }
        return bytes
    }

    @Test func exchanges() {
        let rounds = ProcessInfo.processInfo.environment["PORTCULLIS_BENCH"] == nil ? 100 : 100_000
        let attacked = H2Attacked()
        let server = attacked.session
        let fields = "Content-Type: text/plain\r\nContent-Length: 32\r\nDate: Sat, 21 Nov 2026 15:00:00 GMT\r\n".bytes
        let body = [UInt8](repeating: 97, count: 32)
        let none: [UInt8] = []
        let credit = H2Frames.frame(8, H2Frames.number(100_000))
        let output = Chunk(capacity: 16_384)
        // The first head fills the dynamic table; the others are made of its entries, as a client's are.
        let names = [
            ("user-agent", "curl/8"), ("accept", "*/*"), ("authorization", "Bearer abcdefghijklmnopqrstuvwxyz"),
        ]
        var first = H2Frames.block(H2Frames.pseudo)
        for (name, value) in names {
            first.append(0x40)
            first += H2Frames.block([(name, value)]).dropFirst()
        }
        attacked.receive(H2Frames.frame(1, flags: 5, stream: 1, first))
        var block: [UInt8] = [0x82, 0x87, 0x84]
        block += H2Frames.block([(":authority", "example.org")])
        block += [0xc0, 0xbf, 0xbe]
        let wire: [[UInt8]] = (0..<(rounds / 10)).map { turn in Self.heads(block, from: UInt32(20 * turn + 3)) }
        var answered = 0
        let start = DispatchTime.now().uptimeNanoseconds
        for i in 0..<(rounds / 10) {
            attacked.receive(wire[i], at: i)
            while let event = server.nextEvent() {
                guard case .head(let stream) = event,
                    case .head = stream.requestHead(into: attacked.table, limits: HTTPLimits())
                else { continue }
                answered += 1
                server.respond(stream, status: 200, fields: fields.span, ended: false)
                let chunk = attacked.chunks.take()
                chunk.append(body)
                server.send(stream, chunk)
                server.finish(stream, trailers: none.span)
            }
            while server.wantsToSend {
                _ = server.produce(into: output, upTo: output.capacity)
                output.reset()
            }
            if i % 20 == 0 { attacked.receive(credit, at: i) }
        }
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
        #expect(answered == rounds / 10 * 10)
        #expect(server.failure == nil)
        if rounds > 100 { print("H2Bench: \(Double(nanoseconds) / Double(answered) / 1000) µs per exchange") }
    }
}

extension H2Attacked {
    /// Feeds the session and leaves its events alone.
    fileprivate func receive(_ bytes: [UInt8], at now: Int) {
        _ = session.receive(bytes.span, now: Int64(now))
    }
}

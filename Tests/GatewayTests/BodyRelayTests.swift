import Bytes
import HTTP
import Testing

@testable import Gateway

@Suite struct BodyRelayTests {
    /// What became of a body: the bytes written, and how it ended.
    struct Outcome: Equatable {
        var output = ""
        /// Input bytes that belong to the body.
        var used = 0
        var isComplete = false
        var isBroken = false
        var passed = 0
    }

    enum Framing: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case length, chunked, untilClose
        var testDescription: String { rawValue }

        func wire(_ body: String) -> String {
            switch self {
            case .length, .untilClose: body
            case .chunked:
                // The first byte in a chunk of its own, the rest in one with an extension.
                (body.isEmpty ? "" : "1\r\n\(body.prefix(1))\r\n")
                    + (body.utf8.count < 2
                        ? "" : "\(String(body.utf8.count - 1, radix: 16));a=\"b\"\r\n\(body.dropFirst())\r\n")
                    + "0\r\n\r\n"
            }
        }

        func framing(_ body: String) -> BodyFraming {
            switch self {
            case .length: .length(body.utf8.count)
            case .chunked: .chunked
            case .untilClose: .untilClose
            }
        }
    }

    /// Relays pieces as a connection does: what is not used stands in front of the next piece. `room` bytes of output
    /// at a time.
    static func relay(
        _ framing: BodyFraming, to target: BodyRelay.Target, _ pieces: [[UInt8]], room: Int = 16_384, ends: Bool = true
    ) -> Outcome {
        var relay = BodyRelay(framing, to: target)
        var outcome = Outcome()
        var pending: [UInt8] = []
        for piece in pieces {
            pending += piece
            while !relay.isComplete, !pending.isEmpty {
                let chunk = Chunk(capacity: room)
                do throws(HTTPParseError) {
                    let used = try relay.relay(pending.span, into: chunk)
                    pending.removeFirst(used)
                    outcome.used += used
                    outcome.output += chunk.text
                    if used == 0 { break }
                } catch {
                    outcome.isBroken = true
                    return outcome
                }
            }
        }
        if ends {
            let chunk = Chunk(capacity: room)
            outcome.isComplete = relay.end(into: chunk)
            outcome.output += chunk.text
        } else {
            outcome.isComplete = relay.isComplete
        }
        outcome.passed = relay.passed
        return outcome
    }

    /// The body that chunks stand for, and what follows the last one.
    static func dechunk(_ text: String) -> (body: String, trailers: String)? {
        var rest = Substring(text)
        var body = ""
        while let end = rest.firstRange(of: "\r\n") {
            guard let size = Int(rest[..<end.lowerBound], radix: 16) else { return nil }
            rest = rest[end.upperBound...]
            if size == 0 { return (body, String(rest)) }
            let piece = rest.utf8.prefix(size)
            body += String(piece) ?? ""
            rest = rest[piece.endIndex...]
            guard rest.hasPrefix("\r\n") else { return nil }
            rest = rest.dropFirst(1)
        }
        return nil
    }

    static let bodies = ["", "x", "hello", "0\r\n\r\n", String(repeating: "a long body ", count: 20)]
    static let pairs = Framing.allCases.flatMap { source in bodies.map { (source, $0) } }

    @Test(arguments: pairs)
    func everyFramingGoesIntoEveryOther(_ source: Framing, _ body: String) {
        let wire = Array(source.wire(body).utf8)
        let behind = source == .untilClose ? [] : Array("GET / HTTP/1.1".utf8)
        for target: BodyRelay.Target in [.raw, .chunked, .discard] {
            for cut in 0...wire.count {
                let pieces = [Array(wire[..<cut]), Array(wire[cut...]) + behind]
                let outcome = Self.relay(source.framing(body), to: target, pieces)
                #expect(outcome.isComplete && !outcome.isBroken)
                #expect(outcome.used == wire.count, "what is behind the body is not touched")
                #expect(outcome.passed == body.utf8.count)
                Self.check(outcome.output, target, body, source)
            }
            let single = Self.relay(source.framing(body), to: target, wire.map { [$0] })
            #expect(single.isComplete)
            Self.check(single.output, target, body, source)
        }
    }

    private static func check(_ output: String, _ target: BodyRelay.Target, _ body: String, _ source: Framing) {
        switch target {
        case .raw, .frames: #expect(output == body)
        case .discard: #expect(output.isEmpty)
        case .chunked:
            // A length of 0 is no body at all, and needs no framing.
            if source == .length, body.isEmpty { return }
            let decoded = dechunk(output)
            #expect(decoded?.body == body)
            #expect(decoded?.trailers == "\r\n")
        }
    }

    /// Every amount of room, down to what makes progress at all.
    @Test(arguments: Framing.allCases)
    func littleRoomMakesPieces(_ source: Framing) {
        let body = String(repeating: "0123456789", count: 100)
        let wire = Array(source.wire(body).utf8)
        for room in BodyRelay.reserve...BodyRelay.reserve + 40 {
            #expect(Self.relay(source.framing(body), to: .raw, [wire], room: room).output == body)
            let outcome = Self.relay(source.framing(body), to: .chunked, [wire], room: room)
            #expect(Self.dechunk(outcome.output)?.body == body)
        }
        let full = Self.relay(source.framing(body), to: .raw, [wire], room: BodyRelay.reserve - 1, ends: false)
        #expect(full.used == 0 && full.output.isEmpty)
    }

    @Test(arguments: [Framing.length, .chunked])
    func whatIsCutOffIsNotComplete(_ source: Framing) {
        let body = "hello world"
        let wire = Array(source.wire(body).utf8)
        for target: BodyRelay.Target in [.raw, .chunked] {
            for cut in 0..<wire.count {
                let outcome = Self.relay(source.framing(body), to: target, [Array(wire[..<cut])])
                #expect(!outcome.isComplete, "cut at \(cut)")
                #expect(!outcome.output.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test func trailersGoOnWhereThereAreChunks() {
        let wire = Array("3\r\nfoo\r\n0\r\nX-A: 1\r\nAuthorization: no\r\nX-B:2\r\n\r\n".utf8)
        for room in [128, 16_384] {
            for cut in 0...wire.count {
                let pieces = [Array(wire[..<cut]), Array(wire[cut...])]
                let chunked = Self.relay(.chunked, to: .chunked, pieces, room: room)
                #expect(Self.dechunk(chunked.output)?.body == "foo")
                #expect(Self.dechunk(chunked.output)?.trailers == "X-A: 1\r\nX-B: 2\r\n\r\n")
                #expect(Self.relay(.chunked, to: .raw, pieces, room: room).output == "foo")
            }
        }
    }

    /// The largest trailer that the decoder takes fits into an output of any size.
    @Test func longTrailersFit() {
        let value = String(repeating: "v", count: 8_000)
        let wire = Array("0\r\nX: \(value)\r\n\r\n".utf8)
        let outcome = Self.relay(.chunked, to: .chunked, [wire], room: 16_384)
        #expect(outcome.isComplete)
        #expect(outcome.output == "0\r\nX: \(value)\r\n\r\n")
    }

    @Test(arguments: [
        "g\r\n", "\r\n", "-1\r\n", "+1\r\nx\r\n", "0x1\r\nx\r\n", "1\nx\r\n", "1\r\nxx\r\n", "1\r\nx\n",
        "7fffffffffffffff\r\n", "ffffffffffffffff\r\n", "10000000000000000\r\n", "1;\u{0}\r\n", "0\r\nX : y\r\n\r\n",
        "0\r\n X: y\r\n\r\n", "0\r\nX: y\n\r\n",
    ])
    func whatIsNoChunkBreaksTheBody(_ text: String) {
        let wire = Array(text.utf8)
        #expect(Self.relay(.chunked, to: .raw, [wire]).isBroken)
        #expect(Self.relay(.chunked, to: .chunked, wire.map { [$0] }).isBroken)
    }

    @Test func aGiantLengthDoesNotOverflow() {
        var relay = BodyRelay(.length(999_999_999_999_999_999), to: .raw)
        #expect(relay.passThrough(1_000) == 1_000)
        #expect(relay.remainingLength == 999_999_999_999_998_999)
        #expect(!relay.isComplete)
    }

    /// Bytes go on by reference only where nothing has to be written between them.
    @Test func passingThroughTakesWhatBelongsToTheBody() {
        var relay = BodyRelay(.length(10), to: .raw)
        #expect(relay.isPassThrough)
        #expect(relay.passThrough(4) == 4)
        #expect(relay.passThrough(100) == 6)
        #expect(relay.isComplete && relay.passed == 10)
        #expect(relay.passThrough(5) == 0)
        #expect(!relay.isPassThrough)
        var close = BodyRelay(.untilClose, to: .raw)
        #expect(close.passThrough(7) == 7 && !close.isComplete)
        var chunks = BodyRelay(.chunked, to: .raw)
        #expect(!chunks.isPassThrough && chunks.passThrough(7) == 0)
        var target = BodyRelay(.length(3), to: .chunked)
        #expect(!target.isPassThrough && target.passThrough(3) == 0)
    }

    @Test func theRestOfABodyIsDropped() throws {
        var relay = BodyRelay(.chunked, to: .chunked)
        let output = Chunk(capacity: 1_024)
        let first = Array("5\r\nhe".utf8)
        #expect(try relay.relay(first.span, into: output) == 5)
        var rest = relay.discarding()
        let sink = Chunk(capacity: 1_024)
        let last = Array("llo\r\n0\r\nX: y\r\n\r\nGET".utf8)
        #expect(try rest.relay(last.span, into: sink) == last.count - 3)
        #expect(rest.isComplete && sink.isEmpty)
        #expect(rest.passed == 3)
    }
}

extension Chunk {
    /// The unread bytes as text.
    var text: String {
        let bytes = readable
        return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

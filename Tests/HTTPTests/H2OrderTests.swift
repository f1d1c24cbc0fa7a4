import Bytes
import Testing

@testable import HTTP

/// Frames on streams that are over, or that never were (RFC 9113 sections 5.1 and 5.1.1).
@Suite struct H2OrderTests {
    /// What a client sends, and the error that its last frame is.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let frames: [[UInt8]]
        /// nil where the connection goes on.
        let failure: H2Failure?

        init(_ name: String, _ failure: H2Failure?, _ frames: [UInt8]...) {
            testDescription = name
            self.frames = frames
            self.failure = failure
        }
    }

    private static func priority(_ stream: UInt32, on dependency: UInt32) -> [UInt8] {
        H2Frames.frame(2, stream: stream, H2Frames.number(dependency) + [16])
    }

    static let cases = [
        Case("DATA behind the end", .streamClosed, H2Frames.head(1), H2Frames.data(1, [1], ended: true)),
        Case("HEADERS behind the end", .streamClosed, H2Frames.head(1), H2Frames.head(1)),
        Case(
            "DATA behind DATA that ended", .streamClosed, H2Frames.head(1, ended: false),
            H2Frames.data(1, [1], ended: true), H2Frames.data(1, [])),
        Case(
            "trailers twice", .streamClosed, H2Frames.head(1, ended: false),
            H2Frames.head(1, [("x-a", "1")]), H2Frames.head(1, [("x-a", "1")])),
        Case(
            "DATA behind a reset", .streamClosed, H2Frames.head(1, ended: false), H2Frames.reset(1),
            H2Frames.data(1, [1])),
        Case(
            "HEADERS behind a reset", .streamClosed, H2Frames.head(1, ended: false), H2Frames.reset(1),
            H2Frames.head(1)),
        Case("a lower number", .protocolError, H2Frames.head(5), H2Frames.head(3)),
        Case("a lower number, streams later", .protocolError, H2Frames.head(5), H2Frames.head(7), H2Frames.head(1)),
        Case("DATA on a stream passed over", .streamClosed, H2Frames.head(5), H2Frames.data(1, [1])),
        Case("PRIORITY on itself", .protocolError, priority(1, on: 1)),
        Case("exclusive PRIORITY on itself", .protocolError, priority(3, on: 0x8000_0003)),
        Case("PRIORITY on itself behind another", .protocolError, priority(3, on: 1), priority(5, on: 5)),
        Case("PRIORITY on another", nil, priority(3, on: 1), H2Frames.head(1)),
        Case(
            "WINDOW_UPDATE, PRIORITY, RST_STREAM on a closed stream", nil, H2Frames.head(1),
            H2Frames.frame(8, stream: 1, H2Frames.number(1)), priority(1, on: 0), H2Frames.reset(1)),
        Case(
            "trailers", nil, H2Frames.head(1, ended: false), H2Frames.data(1, [1]), H2Frames.head(1, [("x-a", "1")])),
        Case("numbers with gaps", nil, H2Frames.head(1), H2Frames.head(301), H2Frames.head(0x7fff_ffff)),
    ]

    @Test(arguments: cases) func verdict(_ sample: Case) {
        // In one piece, frame by frame, and byte by byte.
        let whole = [sample.frames.flatMap { $0 }]
        for pieces in [whole, sample.frames, whole[0].map { [$0] }] {
            let attacked = H2Attacked()
            attacked.answers = true
            var goesOn = true
            for piece in pieces where goesOn { goesOn = attacked.receive(piece) }
            #expect(attacked.session.failure == sample.failure)
            #expect(attacked.goAway() == sample.failure?.code)
        }
    }

    /// A frame between HEADERS and CONTINUATION is the library's to find, with the error of a broken field block.
    @Test func brokenBlocks() {
        let begun = H2Frames.frame(1, flags: 1, stream: 1, H2Frames.block(H2Frames.pseudo))
        let attacked = H2Attacked()
        attacked.receive(begun + H2Frames.data(1, [1]))
        #expect(attacked.goAway() == H2Code.protocolError)
        // Behind the end of the block it is one of a closed stream.
        let late = H2Attacked()
        #expect(!late.receive(begun + H2Frames.frame(9, flags: 4, stream: 1) + H2Frames.data(1, [1])))
        #expect(late.goAway() == H2Code.streamClosed)
    }

    /// The response was sent, and the stream is closed on both sides.
    @Test func answeredStreams() {
        for late in [H2Frames.data(1, [1]), H2Frames.head(1)] {
            let attacked = H2Attacked()
            attacked.answers = true
            attacked.receive(H2Frames.head(1))
            #expect(H2Frames.parse(H2Wire.take(attacked.session)).map(\.type) == [1, 0])
            #expect(!attacked.receive(late))
            #expect(attacked.goAway() == H2Code.streamClosed)
        }
    }

    /// What the client has sent before it saw our RST_STREAM is no error, however many streams came after.
    @Test func resetByUs() throws {
        let attacked = H2Attacked()
        attacked.answers = true
        attacked.receive(H2Frames.head(1, ended: false))
        // The response is whole, and the rest of the request is not wanted.
        #expect(H2Frames.parse(H2Wire.take(attacked.session)).map(\.type) == [1, 0, 3])
        for i in 1..<400 {
            attacked.receive(H2Frames.head(UInt32(2 * i + 1)))
            _ = H2Wire.take(attacked.session)
            if i % 100 == 1 { #expect(attacked.receive(H2Frames.data(1, [1, 2, 3]))) }
        }
        #expect(attacked.receive(H2Frames.head(1, [("x-a", "1")])))
        #expect(attacked.session.failure == nil)
    }

    /// Streams that were closed long ago are not remembered one by one.
    @Test func rememberedStreams() {
        for (later, isJudged) in [(127, true), (128, false)] {
            let attacked = H2Attacked()
            attacked.answers = true
            for i in 0...later {
                attacked.receive(H2Frames.head(UInt32(2 * i + 1)))
                _ = H2Wire.take(attacked.session)
            }
            #expect(attacked.receive(H2Frames.data(1, [1])) == !isJudged)
        }
    }

    /// What stood before the frame in the same bytes is taken in, and nothing behind it.
    @Test func framesBeforeTheError() {
        let attacked = H2Attacked()
        attacked.receive(
            H2Frames.head(1, ended: false) + H2Frames.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]) + H2Frames.reset(1)
                + H2Frames.data(1, [1]) + H2Frames.head(3))
        #expect(attacked.session.failure == .streamClosed)
        #expect(attacked.session.mostStreams == 1)
        #expect(attacked.events.isEmpty)
    }
}

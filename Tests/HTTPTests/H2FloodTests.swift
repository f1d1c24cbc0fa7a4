import Bytes
import Model
import Testing

@testable import HTTP

/// Clients that make work without end: each kind is stopped, with a stable reason, and holds no memory meanwhile.
@Suite struct H2FloodTests {
    /// Sends the same frames until the session has had enough; answers how often.
    private func flood(_ attacked: H2Attacked, atMost: Int = 20_000, _ frames: (Int) -> [UInt8]) -> Int {
        for i in 0..<atMost where !attacked.receive(frames(i)) { return i }
        return atMost
    }

    private func expectStopped(_ attacked: H2Attacked, _ failure: H2Failure, _ comment: Comment? = nil) {
        #expect(attacked.session.failure == failure, comment)
        #expect(attacked.goAway() == failure.code, comment)
        #expect(attacked.session.isOver, comment)
        #expect(attacked.chunks.inUse == 0, comment)
    }

    /// CVE-2023-44487
    @Test func rapidReset() {
        let attacked = H2Attacked()
        let count = flood(attacked) { i in
            let id = UInt32(2 * i + 1)
            return H2Frames.head(id) + H2Frames.reset(id)
        }
        #expect(count == 100)
        // Reset in the same piece of bytes: the request is not delivered.
        #expect(attacked.events.isEmpty)
        expectStopped(attacked, .resetFlood)
    }

    @Test func resetsAfterTheResponseAreFree() {
        let attacked = H2Attacked()
        attacked.answers = true
        for i in 0..<1000 {
            let id = UInt32(2 * i + 1)
            attacked.receive(H2Frames.head(id, ended: false))
            let sent = H2Frames.parse(H2Wire.take(attacked.session)).map(\.type)
            #expect(sent == [1, 0, 3])
        }
        #expect(attacked.session.failure == nil)
        #expect(attacked.session.activeStreams == 0)
    }

    @Test func resetsAreForgivenWithTime() {
        let attacked = H2Attacked()
        for i in 0..<1000 {
            let id = UInt32(2 * i + 1)
            attacked.now += 200
            #expect(attacked.receive(H2Frames.head(id)))
            #expect(attacked.receive(H2Frames.reset(id)))
        }
        #expect(attacked.session.failure == nil)
    }

    /// CVE-2025-8671: the client never resets, but has us do it.
    @Test(arguments: [
        // A body shorter than announced, a field of the connection, a window that overflows.
        "length", "connection", "window",
    ])
    func madeYouReset(_ how: String) {
        let attacked = H2Attacked()
        let count = flood(attacked) { i in
            let id = UInt32(2 * i + 1)
            let bytes: [UInt8]
            switch how {
            case "length":
                bytes =
                    H2Frames.head(id, H2Frames.pseudo + [("content-length", "5")], ended: false)
                    + H2Frames.data(id, [1], ended: true)
            case "connection": bytes = H2Frames.head(id, H2Frames.pseudo + [("connection", "x")])
            default:
                bytes =
                    H2Frames.head(id, ended: false)
                    + H2Frames.frame(8, stream: id, H2Frames.number(0x7fff_ffff))
            }
            defer { _ = H2Wire.take(attacked.session) }
            return bytes
        }
        #expect(count <= 110)
        #expect(attacked.session.failure == .provokedResetFlood)
        #expect(attacked.session.isOver)
    }

    @Test(arguments: [
        ("settings", H2Failure.settingsFlood, 110), ("ping", .pingFlood, 1010), ("data", .emptyFrameFlood, 1010),
        // CVE-2019-9518, with padding
        ("padding", .emptyFrameFlood, 1010),
        ("window", .windowUpdateFlood, 1030), ("priority", .priorityFlood, 1020),
    ])
    func controlFrames(_ kind: String, _ failure: H2Failure, _ most: Int) {
        let attacked = H2Attacked()
        attacked.receive(H2Frames.head(1, ended: false))
        let count = flood(attacked) { _ in
            switch kind {
            case "settings": H2Frames.frame(4)
            case "ping": H2Frames.frame(6, [UInt8](repeating: 1, count: 8))
            case "data": H2Frames.data(1, [])
            case "padding": H2Frames.frame(0, flags: 8, stream: 1, [3, 0, 0, 0])
            case "window": H2Frames.frame(8, H2Frames.number(1))
            default: H2Frames.frame(2, stream: 7, H2Frames.number(0) + [1])
            }
        }
        #expect(count <= most)
        #expect(attacked.peak <= 2)
        attacked.listen()
        expectStopped(attacked, failure, "\(kind)")
        #expect(attacked.log.suffix(2) == ["reset 1 \(failure.code)", "closed 1"])
    }

    /// A client that sends pings and takes no answer.
    @Test func answersThatNobodyTakes() {
        var limits = H2Limits()
        limits.maximumPings = 1_000_000
        let attacked = H2Attacked(limits)
        let count = flood(attacked) { _ in H2Frames.frame(6, [UInt8](repeating: 1, count: 8)) }
        #expect(count <= 2010)
        expectStopped(attacked, .queueFlood)
    }

    /// CVE-2024-28182: fields without end, and frames without content.
    @Test(arguments: [0, 1, 100, 16_000])
    func continuations(_ size: Int) {
        let attacked = H2Attacked()
        attacked.receive(H2Frames.frame(1, flags: 0, stream: 1, H2Frames.block(H2Frames.pseudo)))
        let field = H2Frames.block([("x", String(repeating: "y", count: 50))])
        var payload: [UInt8] = []
        while payload.count < size { payload += field }
        let count = flood(attacked) { _ in H2Frames.frame(9, stream: 1, payload) }
        #expect(count <= 8)
        #expect(attacked.session.failure == (size == 16_000 ? .blockTooLarge : .continuationFlood))
        while attacked.session.nextEvent() != nil {}
        #expect(attacked.session.isOver || attacked.goAway() == H2Code.enhanceYourCalm)
        #expect(attacked.chunks.inUse == 0)
    }

    /// HPACK bomb: 4,000 bytes in the dynamic table, named by so many bytes.
    private func bomb(_ count: Int) -> H2Attacked {
        let attacked = H2Attacked()
        let large = String(repeating: "z", count: 3900)
        // Literal with incremental indexing; then the newest entry of the dynamic table again and again.
        let block = H2Frames.block(H2Frames.pseudo) + [0x40] + H2Frames.block([("b", large)]).dropFirst()
        let bomb = [UInt8](repeating: 0xbe, count: count)
        attacked.receive(H2Frames.frame(1, flags: 5, stream: 1, block + bomb))
        return attacked
    }

    /// A list of 40 MB is decoded to a small part of it: its time would be other clients'.
    @Test func bombsEndTheConnection() {
        let attacked = bomb(11_000)
        expectStopped(attacked, .blockTooLarge)
        #expect(attacked.peak == 0)
        #expect(attacked.chunks.inUse == 0 && attacked.chunks.bytesInUse == 0)
    }

    /// Fields of nothing much, each of which costs a call: four times as many as there may be, and no more.
    @Test func manySmallFieldsEndTheConnection() {
        for (count, failure) in [(390, nil), (410, H2Failure.blockTooLarge)] {
            let attacked = H2Attacked()
            attacked.receive(H2Frames.head(1, H2Frames.pseudo + (0..<count).map { _ in ("a", "b") }))
            #expect(attacked.session.failure == failure)
        }
    }

    /// One that a client may have meant is answered.
    @Test func smallBombs() throws {
        let attacked = bomb(12)
        #expect(attacked.log == ["head 1"])
        #expect(attacked.headError() == .headTooLarge)
        #expect(attacked.peak == 0)
        guard case .head(let stream) = attacked.events[0] else { return }
        #expect(stream.head.capacity <= 32_768)
        attacked.session.respond(stream, status: 431, fields: [UInt8]().span, ended: true)
        attacked.receive([])
        let frames = H2Frames.parse(H2Wire.take(attacked.session))
        #expect(frames.contains { $0.type == 1 && $0.flags & 1 == 1 })
        attacked.receive([])
        #expect(attacked.log == ["head 1", "closed 1"])
        // The next stream is none the worse.
        attacked.events = []
        attacked.receive(H2Frames.head(3))
        #expect(attacked.log.last == "head 3")
        #expect(attacked.headError() == nil)
    }

    /// Heads that are too large are counted like resets.
    @Test func manyBombs() {
        let attacked = H2Attacked()
        let fields = H2Frames.pseudo + (0..<200).map { ("x-\($0)", "") }
        let count = flood(attacked) { i in
            defer {
                for case .head(let stream) in attacked.events {
                    attacked.session.respond(stream, status: 431, fields: [UInt8]().span, ended: true)
                }
                attacked.events = []
                _ = H2Wire.take(attacked.session)
            }
            return H2Frames.head(UInt32(2 * i + 1), fields)
        }
        #expect(count <= 102)
        #expect(attacked.session.failure == .provokedResetFlood)
    }

    /// One stream more than allowed, after the client has acknowledged the limit.
    @Test func tooManyStreams() {
        var limits = H2Limits()
        limits.maximumStreams = 10
        let attacked = H2Attacked(limits)
        for i in 0..<20 { attacked.receive(H2Frames.head(UInt32(2 * i + 1))) }
        #expect(attacked.session.activeStreams == 10)
        let refused = H2Frames.parse(H2Wire.take(attacked.session)).filter { $0.type == 3 }
        #expect(refused.map(\.payload) == Array(repeating: H2Frames.number(H2Code.refusedStream), count: 10))
        attacked.receive(H2Frames.frame(4, flags: 1))
        #expect(attacked.session.settingsAcknowledged)
        attacked.receive(H2Frames.head(41))
        #expect(attacked.goAway() == H2Code.protocolError)
        #expect(attacked.session.failure == .protocolError)
    }

    /// Bodies that are not taken stay within the window.
    @Test func windowIsHonoured() {
        let attacked = H2Attacked()
        attacked.receive(H2Frames.head(1, ended: false))
        let count = flood(attacked, atMost: 100) { _ in H2Frames.data(1, [UInt8](repeating: 1, count: 4096)) }
        #expect(count <= 100)
        #expect(attacked.peak <= 17)
        let frames = H2Frames.parse(H2Wire.take(attacked.session))
        #expect(frames.contains { $0.type == 3 && $0.payload == H2Frames.number(H2Code.flowControlError) })
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX", "\u{16}\u{3}\u{1}"])
    func otherProtocols(_ text: String) {
        let attacked = H2Attacked(preface: false)
        #expect(!attacked.receive(text.bytes))
        #expect(attacked.session.failure == .notHTTP2)
        _ = attacked.goAway()
        #expect(attacked.session.isOver)
    }
}

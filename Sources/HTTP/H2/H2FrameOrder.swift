/// Checks whether a client's frames belong to streams that may still have frames.
///
/// libnghttp2 ignores DATA and HEADERS on closed streams, HEADERS of skipped streams, and PRIORITY frames, although RFC
/// 9113 sections 5.1 and 5.1.1 and RFC 7540 section 5.3.1 require an error. Frames on streams that the server has reset
/// are allowed, since the client may have sent them before it saw the reset.
struct H2FrameOrder {
    /// A frame that ends the connection.
    struct Breach {
        /// Offset of the frame in the checked bytes; 0 if it began earlier.
        let offset: Int
        let failure: H2Failure
    }

    /// The highest stream the client has opened.
    private var highest = -1
    /// Bit n: the client has ended or reset stream `highest - 2n`. Older streams are not checked.
    private var over: UInt128 = 0
    /// Bit n: the client has skipped stream `highest - 2n`.
    private var passedOver: UInt128 = 0

    /// Whether a field block is incomplete. The library detects other frames inside it.
    private var isInBlock = false

    /// Bytes to the next frame header.
    private var skip = H2Preface.length
    /// The start of a fragmented frame.
    private var partial = InlineArray<13, UInt8>(repeating: 0)
    private var held = 0

    private static let headerLength = 9
    /// A header and the dependency of a PRIORITY frame.
    private static let window = 13

    /// Checks the frames in these bytes and returns the first illegal one.
    mutating func check(_ bytes: Span<UInt8>) -> Breach? {
        var position = 0
        while true {
            let passed = min(skip, bytes.count &- position)
            skip &-= passed
            position &+= passed
            guard skip == 0, position < bytes.count else { return nil }
            let start = position
            let isWhole = held == 0 && bytes.count &- position >= H2FrameOrder.window
            if !isWhole {
                let begun = held
                guard gather(bytes, &position) else { return nil }
                let frame = partial
                skip = H2FrameOrder.length(frame.span) &- (held &- H2FrameOrder.headerLength)
                held = 0
                if let failure = judge(frame.span) { return Breach(offset: begun == 0 ? start : 0, failure: failure) }
                continue
            }
            let frame = bytes.extracting(position..<position &+ H2FrameOrder.window)
            skip = H2FrameOrder.length(frame)
            position &+= H2FrameOrder.headerLength
            if let failure = judge(frame) { return Breach(offset: start, failure: failure) }
        }
    }

    /// Collects a fragmented frame. Returns whether enough of it is there to check it.
    private mutating func gather(_ bytes: Span<UInt8>, _ position: inout Int) -> Bool {
        while true {
            var needed = H2FrameOrder.headerLength
            if held >= needed, H2FrameOrder.isPriority(partial.span) { needed = H2FrameOrder.window }
            if held == needed { return true }
            guard position < bytes.count else { return false }
            partial[held] = bytes[position]
            held &+= 1
            position &+= 1
        }
    }

    private static func length(_ frame: Span<UInt8>) -> Int {
        Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    }

    private static func number(_ frame: Span<UInt8>, at start: Int) -> Int {
        Int(frame[start] & 0x7f) << 24 | Int(frame[start &+ 1]) << 16 | Int(frame[start &+ 2]) << 8
            | Int(frame[start &+ 3])
    }

    private static func isPriority(_ frame: Span<UInt8>) -> Bool {
        frame[3] == H2FrameType.priority.rawValue && length(frame) == 5
    }

    private mutating func judge(_ frame: Span<UInt8>) -> H2Failure? {
        let stream = H2FrameOrder.number(frame, at: 5)
        let ends = frame[4] & 1 != 0
        let endsBlock = frame[4] & 4 != 0
        if isInBlock, frame[3] != H2FrameType.continuation.rawValue { return nil }
        switch frame[3] {
        case H2FrameType.continuation.rawValue: isInBlock = !endsBlock
        case H2FrameType.headers.rawValue:
            isInBlock = !endsBlock
            if stream > highest {
                open(stream)
            } else {
                let place = bit(of: stream)
                if over & place != 0 { return .streamClosed }
                if passedOver & place != 0 { return .protocolError }
            }
            if ends { over |= bit(of: stream) }
        case H2FrameType.data.rawValue:
            let place = bit(of: stream)
            if (over | passedOver) & place != 0 { return .streamClosed }
            if ends { over |= place }
        case H2FrameType.reset.rawValue: over |= bit(of: stream)
        case H2FrameType.priority.rawValue where H2FrameOrder.isPriority(frame):
            if H2FrameOrder.number(frame, at: H2FrameOrder.headerLength) == stream { return .protocolError }
        default: break
        }
        return nil
    }

    private mutating func open(_ stream: Int) {
        // The library detects frames on streams with even ids.
        guard stream & 1 == 1 else { return }
        let step = (stream &- highest) / 2
        over <<= step
        passedOver = passedOver << step | ((1 << step) &- 1) & ~1
        highest = stream
    }

    /// The bit of a tracked stream; 0 for others.
    private func bit(of stream: Int) -> UInt128 {
        stream & 1 == 1 && stream <= highest ? 1 << ((highest &- stream) / 2) : 0
    }
}

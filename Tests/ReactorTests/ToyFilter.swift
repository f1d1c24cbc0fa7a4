import Bytes

@testable import Reactor

/// A filter for tests, with what TLS has: records, a handshake of two messages, an end and alerts. A record is its kind,
/// three bytes of length, and the bytes with some bits turned round.
final class ToyFilter: StreamFilter {
    enum Kind: UInt8 { case hello = 1, welcome, bytes, end, alert }

    let isServer: Bool
    /// Takes everything at once and keeps the rest inside, as libssl does; else leaves what is not whole to the poller.
    let hoards: Bool
    private(set) var state = StreamFilterState.opening
    /// Bytes for the owner that had no room.
    private var waiting: [UInt8] = []
    private var input: [UInt8] = []
    private(set) var finished = 0
    /// Calls of `receive`.
    private(set) var calls = 0
    static let longestRecord = 3_000

    init(isServer: Bool, hoards: Bool = false) {
        self.isServer = isServer
        self.hoards = hoards
    }

    var hasMore: Bool { !waiting.isEmpty || (hoards && isRecordWhole) }

    private var isRecordWhole: Bool {
        input.count >= 4 && input.count >= 4 + Int(input[1]) << 16 + Int(input[2]) << 8 + Int(input[3])
    }

    func start(replying wire: Chunk) -> StreamFilterState {
        if !isServer { wire.append(Self.record(.hello, [])) }
        return .opening
    }

    func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> StreamFilterState {
        calls += 1
        let new = received.bytes
        received.consume(new.count)
        input += new
        give(to: plain)
        while waiting.isEmpty, state == .opening || state == .open, isRecordWhole { take(into: plain, wire) }
        if input.count >= 4, Int(input[1]) << 16 + Int(input[2]) << 8 + Int(input[3]) > Self.longestRecord {
            fail(wire)
        }
        if !hoards, !input.isEmpty {
            received.append(input)
            input = []
        }
        // The end counts when everything ahead of it has been given.
        return state == .ended && !waiting.isEmpty ? .open : state
    }

    private func take(into plain: Chunk, _ wire: Chunk) {
        let length = Int(input[1]) << 16 + Int(input[2]) << 8 + Int(input[3])
        let payload = input[4..<4 + length].map { $0 ^ 0x5a }
        let kind = Kind(rawValue: input[0])
        input.removeFirst(4 + length)
        switch (kind, state, isServer) {
        case (.hello, .opening, true):
            wire.append(Self.record(.welcome, []))
            state = .open
        case (.welcome, .opening, false): state = .open
        case (.bytes, .open, _):
            waiting = payload
            give(to: plain)
        case (.end, .open, _): state = .ended
        default: fail(wire)
        }
    }

    private func fail(_ wire: Chunk) {
        state = .failed
        wire.append(Self.record(.alert, []))
    }

    private func give(to plain: Chunk) {
        let count = min(plain.free, waiting.count)
        plain.append(Array(waiting.prefix(count)))
        waiting.removeFirst(count)
    }

    func send(_ plain: Chunk, into wire: Chunk) -> StreamFilterState {
        var bytes = plain.bytes[...]
        plain.consume(bytes.count)
        while !bytes.isEmpty {
            wire.append(Self.record(.bytes, Array(bytes.prefix(Self.longestRecord))))
            bytes = bytes.dropFirst(Self.longestRecord)
        }
        return state
    }

    func finish(into wire: Chunk) {
        finished += 1
        wire.append(Self.record(.end, []))
    }

    static func record(_ kind: Kind, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let head = [kind.rawValue, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
        return head + payload.map { $0 ^ 0x5a }
    }

    static func record(_ text: String) -> [UInt8] { record(.bytes, Array(text.utf8)) }

    /// What a run of records says, and the kinds of all; the rest that is not whole is left out.
    static func read(_ wire: [UInt8]) -> (kinds: [Kind?], payload: [UInt8]) {
        var kinds: [Kind?] = []
        var payload: [UInt8] = []
        var position = 0
        while wire.count - position >= 4 {
            let length = Int(wire[position + 1]) << 16 + Int(wire[position + 2]) << 8 + Int(wire[position + 3])
            guard wire.count - position >= 4 + length else { break }
            kinds.append(Kind(rawValue: wire[position]))
            if kinds.last == .bytes { payload += wire[position + 4..<position + 4 + length].map { $0 ^ 0x5a } }
            position += 4 + length
        }
        return (kinds, payload)
    }
}

extension Chunk {
    /// The unread bytes.
    var bytes: [UInt8] {
        let bytes = readable
        return bytes.indices.map { bytes[$0] }
    }
}

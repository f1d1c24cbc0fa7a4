import Bytes
import Testing

@Suite struct ChunkTests {
    private func text(_ chunk: Chunk) -> String {
        let span = chunk.readable
        return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    }

    @Test func appendsAndConsumes() {
        let chunk = Chunk(capacity: 16)
        chunk.append("hello" as StaticString)
        chunk.append(Array(" you".utf8))
        #expect(text(chunk) == "hello you")
        #expect(chunk.count == 9 && chunk.free == 7)
        chunk.consume(6)
        #expect(text(chunk) == "you" && chunk.readIndex == 6)
        chunk.consume(3)
        #expect(chunk.isEmpty && chunk.readIndex == 0 && chunk.free == 16)
    }

    @Test func compactsBeforeItGrows() {
        let chunk = Chunk(capacity: 8)
        chunk.append("abcdefgh" as StaticString)
        chunk.consume(5)
        chunk.ensureFree(5)
        #expect(chunk.capacity == 8 && text(chunk) == "fgh" && chunk.free == 5)
        chunk.ensureFree(6)
        #expect(chunk.capacity >= 9 && text(chunk) == "fgh" && chunk.free >= 6)
    }

    @Test(arguments: [0, 9, 10, 99, 100, 12_345, Int.max])
    func numbers(value: Int) {
        let chunk = Chunk(capacity: 64)
        chunk.append(decimal: value)
        #expect(text(chunk) == String(value))
        chunk.reset()
        chunk.append(hexadecimal: value)
        #expect(text(chunk) == String(value, radix: 16))
    }

    @Test func truncates() {
        let chunk = Chunk(capacity: 8)
        chunk.append("abcdef" as StaticString)
        chunk.consume(1)
        chunk.truncate(to: 2)
        #expect(text(chunk) == "bc")
    }

    @Test func poolReusesWhatHasNotGrown() {
        let pool = ChunkPool(chunkSize: 8, keep: 1)
        let first = pool.take()
        first.append("abc" as StaticString)
        pool.give(first)
        #expect(pool.inUse == 0)
        let again = pool.take()
        #expect(again === first && again.isEmpty)
        again.ensureFree(100)
        pool.give(again)
        #expect(pool.take() !== again)
        #expect(pool.inUse == 1)
    }

    @Test func poolKeepsLargeOnesApart() {
        let pool = ChunkPool(chunkSize: 8, keep: 16)
        let (large, other, usual) = (pool.takeLarge(), pool.takeLarge(), pool.take())
        #expect(large.capacity == 64 && usual.capacity == 8)
        #expect(pool.inUse == 3 && pool.bytesInUse == 136)
        for chunk in [large, other, usual] { pool.give(chunk) }
        #expect(pool.inUse == 0 && pool.bytesInUse == 0)
        #expect(pool.take() === usual)
        #expect(pool.takeLarge() === large, "of large ones half as many bytes are kept")
        #expect(pool.takeLarge() !== other)
    }

    /// A writer that asked for too little room is no reason to end the process.
    @Test func growsWhereNobodyAskedForRoom() {
        let chunk = Chunk(capacity: 4)
        chunk.append("abc" as StaticString)
        chunk.append(Array("defgh".utf8))
        chunk.append(UInt8(ascii: "i"))
        chunk.append(decimal: 1_234_567_890)
        chunk.append(hexadecimal: 255)
        let isWhole = bytesEqual(chunk.readable, Array("abcdefghi1234567890ff".utf8).span)
        #expect(isWhole)
        #expect(chunk.capacity >= 21)
    }
}

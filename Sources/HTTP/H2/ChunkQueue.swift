import Bytes

/// A queue of chunks. The first is stored separately, since there is usually only one; the others are in a reused
/// array.
final class ChunkQueue {
    private var front: Chunk?
    private var chunks: [Chunk] = []
    private var taken = 0
    /// Bytes in all chunks.
    private(set) var byteCount = 0

    /// Capacity of the chunks in bytes.
    var capacity: Int {
        var bytes = front?.capacity ?? 0
        for i in taken..<chunks.count { bytes &+= chunks[i].capacity }
        return bytes
    }

    var first: Chunk? { front }
    private var last: Chunk? { taken < chunks.count ? chunks[chunks.count &- 1] : front }

    /// Adds a chunk at the end.
    func append(_ chunk: Chunk) {
        byteCount &+= chunk.count
        enqueue(chunk)
    }

    private func enqueue(_ chunk: Chunk) {
        guard front != nil else {
            front = chunk
            return
        }
        // Moved out and in again: mutation in place would need an exclusivity check at each read.
        var others = chunks
        chunks = []
        others.append(chunk)
        chunks = others
    }

    /// Appends a copy of the bytes to the last chunk and, if it is full, to chunks of the pool.
    func append(_ bytes: Span<UInt8>, from pool: ChunkPool) {
        var position = 0
        while position < bytes.count {
            let chunk: Chunk
            if let open = last, open.free > 0 {
                chunk = open
            } else {
                chunk = pool.take()
                enqueue(chunk)
            }
            let count = min(chunk.free, bytes.count &- position)
            chunk.append(bytes.extracting(position..<(position &+ count)))
            position &+= count
        }
        byteCount &+= bytes.count
    }

    func removeFirst() -> Chunk? {
        guard let chunk = front else { return nil }
        front = nil
        byteCount &-= chunk.count
        if taken < chunks.count { advance() }
        return chunk
    }

    /// Moves the next chunk of the array to the front.
    private func advance() {
        var others = chunks
        chunks = []
        front = others[taken]
        taken &+= 1
        if taken == others.count {
            others.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken >= 32 {
            others.removeFirst(taken)
            taken = 0
        }
        chunks = others
    }

    /// Drops bytes from the front of the first chunk, and the chunk once it is empty.
    func dropFirst(_ count: Int, pool: ChunkPool) {
        guard let chunk = first else { return }
        chunk.consume(count)
        byteCount &-= count
        if chunk.isEmpty, let emptied = removeFirst() { pool.give(emptied) }
    }

    /// Moves `count` bytes from the front to another chunk, and returns emptied chunks to the pool.
    func move(_ count: Int, to target: Chunk, pool: ChunkPool) {
        var left = count
        while left > 0, let chunk = first {
            let piece = min(left, chunk.count)
            target.append(chunk.readable.extracting(0..<piece))
            chunk.consume(piece)
            byteCount &-= piece
            left &-= piece
            if chunk.isEmpty, let emptied = removeFirst() { pool.give(emptied) }
        }
    }

    /// Returns all chunks to the pool.
    func removeAll(pool: ChunkPool) {
        while let chunk = removeFirst() { pool.give(chunk) }
    }
}

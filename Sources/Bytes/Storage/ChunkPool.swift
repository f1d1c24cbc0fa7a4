/// Counts the bytes of a pool's chunks in use. Separate from the pool, so that growing chunks can update it.
final class ChunkAccount {
    private(set) var bytes = 0

    func add(_ difference: Int) { bytes &+= difference }
}

/// The free list of chunks of one size. References are moved, never copied, since every request uses several chunks.
private final class SpareChunks {
    let size: Int
    private let keep: Int
    private var first: Chunk?
    private var count = 0

    init(size: Int, keep: Int) {
        self.size = size
        self.keep = keep
    }

    func take(_ account: ChunkAccount) -> Chunk {
        account.add(size)
        guard let chunk = first.take() else { return Chunk(capacity: size, account: account) }
        first = chunk.nextSpare.take()
        count &-= 1
        return chunk
    }

    /// Keeps the chunk, or frees it if the list is full.
    func give(_ chunk: consuming Chunk) {
        guard count < keep else { return }
        chunk.reset()
        chunk.nextSpare = first.take()
        first = consume chunk
        count &+= 1
    }
}

/// The chunk pool of one worker: taking a chunk from a warm pool allocates nothing.
package final class ChunkPool {
    /// Size of a large chunk in chunks.
    package static let largeFactor = 8

    private let usual: SpareChunks
    private let large: SpareChunks
    private var outstanding = 0
    private let account = ChunkAccount()

    /// - Parameters:
    ///   - chunkSize: bytes of a chunk.
    ///   - keep: limit of free chunks; for large ones half as many bytes.
    package init(chunkSize: Int, keep: Int) {
        usual = SpareChunks(size: chunkSize, keep: keep)
        large = SpareChunks(size: chunkSize * ChunkPool.largeFactor, keep: keep / (2 * ChunkPool.largeFactor))
    }

    /// Size of a pooled chunk in bytes.
    package var chunkSize: Int { usual.size }
    /// Number of chunks in use.
    package var inUse: Int { outstanding }
    /// Their total size, growth included.
    package var bytesInUse: Int { account.bytes }

    /// Counts bytes of buffers outside the pool.
    package func charge(_ difference: Int) { account.add(difference) }

    /// An empty chunk.
    package func take() -> Chunk {
        outstanding &+= 1
        return usual.take(account)
    }

    /// An empty chunk for bulk data.
    package func takeLarge() -> Chunk {
        outstanding &+= 1
        return large.take(account)
    }

    /// An empty chunk for the kernel to receive into. It is counted once it contains data, see `charge`.
    package func lend() -> Chunk {
        let chunk = usual.take(account)
        account.add(-chunk.capacity)
        return chunk
    }

    /// Counts a lent chunk that now contains data.
    package func charge(_ chunk: Chunk) {
        outstanding &+= 1
        account.add(chunk.capacity)
    }

    /// Returns a chunk to the pool; a grown one is freed, and a held one stays with its holder.
    package func give(_ chunk: consuming Chunk) {
        if chunk.isHeld { return }
        outstanding &-= 1
        account.add(-chunk.capacity)
        if chunk.capacity == usual.size {
            usual.give(chunk)
        } else if chunk.capacity == large.size {
            large.give(chunk)
        }
    }
}

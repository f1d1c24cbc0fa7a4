/// Bytes of the chunks of a pool that are in use, kept apart from the pool so that a chunk that grows can tell.
final class ChunkAccount {
    private(set) var bytes = 0

    func add(_ difference: Int) { bytes &+= difference }
}

/// The spare chunks of one worker, in lists through the chunks themselves: taking one from a warm pool allocates nothing.
package final class ChunkPool {
    /// How many usual chunks a large one is as long as.
    package static let largeFactor = 4

    private var firstSpare: Chunk?
    private var spareCount = 0
    private var firstLargeSpare: Chunk?
    private var largeSpareCount = 0
    /// Size of a pooled chunk in bytes.
    package let chunkSize: Int
    private let keep: Int
    private var outstanding = 0
    private let account = ChunkAccount()

    /// - Parameters:
    ///   - chunkSize: bytes of a chunk.
    ///   - keep: how many spare chunks are kept at the most; of large ones an eighth.
    package init(chunkSize: Int, keep: Int) {
        self.chunkSize = chunkSize
        self.keep = keep
    }

    /// Chunks taken and not given back.
    package var inUse: Int { outstanding }
    /// Their size together, with what they have grown by.
    package var bytesInUse: Int { account.bytes }
    private var largeSize: Int { chunkSize &* ChunkPool.largeFactor }

    /// Counts bytes of buffers that are no chunks of this pool, such as those that live as long as what they stand for.
    package func charge(_ difference: Int) { account.add(difference) }

    /// An empty chunk.
    package func take() -> Chunk {
        outstanding &+= 1
        account.add(chunkSize)
        guard let chunk = firstSpare else { return Chunk(capacity: chunkSize, account: account) }
        firstSpare = chunk.nextSpare
        chunk.nextSpare = nil
        spareCount &-= 1
        return chunk
    }

    /// An empty chunk for what comes in large pieces.
    package func takeLarge() -> Chunk {
        outstanding &+= 1
        account.add(largeSize)
        guard let chunk = firstLargeSpare else { return Chunk(capacity: largeSize, account: account) }
        firstLargeSpare = chunk.nextSpare
        chunk.nextSpare = nil
        largeSpareCount &-= 1
        return chunk
    }

    /// Gives a chunk back; one that has grown or is too many is freed, and one that is held stays with its holder.
    package func give(_ chunk: Chunk) {
        if chunk.isHeld { return }
        outstanding &-= 1
        account.add(-chunk.capacity)
        if chunk.capacity == chunkSize {
            guard spareCount < keep else { return }
            chunk.reset()
            chunk.nextSpare = firstSpare
            firstSpare = chunk
            spareCount &+= 1
        } else if chunk.capacity == largeSize, largeSpareCount < keep / 8 {
            chunk.reset()
            chunk.nextSpare = firstLargeSpare
            firstLargeSpare = chunk
            largeSpareCount &+= 1
        }
    }
}

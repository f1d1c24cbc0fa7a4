/// Bytes of the chunks of a pool that are in use, kept apart from the pool so that a chunk that grows can tell.
final class ChunkAccount {
    private(set) var bytes = 0

    func add(_ difference: Int) { bytes &+= difference }
}

/// The spare chunks of one size, in a list through the chunks themselves. References are moved, never copied: several
/// chunks go in and out with every request.
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

    /// Keeps it; one that is too many is freed.
    func give(_ chunk: consuming Chunk) {
        guard count < keep else { return }
        chunk.reset()
        chunk.nextSpare = first.take()
        first = consume chunk
        count &+= 1
    }
}

/// The spare chunks of one worker: taking one from a warm pool allocates nothing.
package final class ChunkPool {
    /// How many usual chunks a large one is as long as.
    package static let largeFactor = 8

    private let usual: SpareChunks
    private let large: SpareChunks
    private var outstanding = 0
    private let account = ChunkAccount()

    /// - Parameters:
    ///   - chunkSize: bytes of a chunk.
    ///   - keep: how many spare chunks are kept at the most; of large ones half as many bytes.
    package init(chunkSize: Int, keep: Int) {
        usual = SpareChunks(size: chunkSize, keep: keep)
        large = SpareChunks(size: chunkSize * ChunkPool.largeFactor, keep: keep / (2 * ChunkPool.largeFactor))
    }

    /// Size of a pooled chunk in bytes.
    package var chunkSize: Int { usual.size }
    /// Chunks taken and not given back.
    package var inUse: Int { outstanding }
    /// Their size together, with what they have grown by.
    package var bytesInUse: Int { account.bytes }

    /// Counts bytes of buffers that are no chunks of this pool, such as those that live as long as what they stand for.
    package func charge(_ difference: Int) { account.add(difference) }

    /// An empty chunk.
    package func take() -> Chunk {
        outstanding &+= 1
        return usual.take(account)
    }

    /// An empty chunk for what comes in large pieces.
    package func takeLarge() -> Chunk {
        outstanding &+= 1
        return large.take(account)
    }

    /// An empty chunk for the kernel to receive into. It counts from the time at which something is in it, see `charge`.
    package func lend() -> Chunk {
        let chunk = usual.take(account)
        account.add(-chunk.capacity)
        return chunk
    }

    /// Counts a chunk that was lent and now holds something.
    package func charge(_ chunk: Chunk) {
        outstanding &+= 1
        account.add(chunk.capacity)
    }

    /// Gives a chunk back; one that has grown is freed, and one that is held stays with its holder.
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

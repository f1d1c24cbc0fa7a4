/// Resolves host names outside the loops, since the resolver of the C library blocks.
package final class NameResolver: Sendable {
    package enum Answer: Equatable, Sendable {
        /// At least one address, each once, in order of preference.
        case addresses([SocketAddress])
        /// The name does not exist or has no address. Cached addresses are invalid.
        case unknownName
        /// The lookup failed. Cached addresses may still be valid.
        case failed(String)
    }

    private let pool: BlockingPool

    package init(pool: BlockingPool) { self.pool = pool }

    /// Resolves a name and passes the answer to `done` on a thread of the pool. Returns false, without calling `done`,
    /// if the pool is full.
    package func resolve(_ name: String, port: UInt16, _ done: @escaping @Sendable (Answer) -> Void) -> Bool {
        pool.submit { done(NameLookup.answer(name, port: port)) }
    }
}

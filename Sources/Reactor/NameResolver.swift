/// Looks names up away from the loops: the resolver of the C library reads files and waits for servers.
package final class NameResolver: Sendable {
    package enum Answer: Equatable, Sendable {
        /// At least one address, each once, in the order in which they are to be tried.
        case addresses([SocketAddress])
        /// There is no such name, or it has no address. What is known of it by now is wrong.
        case unknownName
        /// Nobody could say: what is known of the name by now may still be right.
        case failed(String)
    }

    private let pool: BlockingPool

    package init(pool: BlockingPool) { self.pool = pool }

    /// Looks the name up and gives the answer, in a thread of the pool, to `done`, which posts it to a mailbox. Answers
    /// false, and never calls `done`, where the pool is full.
    package func resolve(_ name: String, port: UInt16, _ done: @escaping @Sendable (Answer) -> Void) -> Bool {
        pool.submit { done(NameLookup.answer(name, port: port)) }
    }
}

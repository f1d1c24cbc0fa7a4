/// Resolves host names outside the loops, since the resolver of the C library blocks.
package final class NameResolver: Sendable {
    package enum Answer: Equatable, Sendable {
        /// At least one address, each once, in order of preference.
        case addresses([SocketAddress])
        /// The name does not exist or has no address. Cached addresses are invalid.
        case unknownName
        /// The lookup failed. Cached addresses may still be valid.
        case failed(String)

        /// Why there is no address; nil if there is one.
        package var problem: String? {
            switch self {
            case .addresses: nil
            case .unknownName: "the name does not exist, or has no address"
            case .failed(let reason): reason
            }
        }
    }

    /// Resolves a name or a literal address. Blocks the thread.
    package static func answer(_ name: String, port: UInt16) -> Answer {
        if let address = SocketAddress(literal: name, port: port) { return .addresses([address]) }
        return NameLookup.answer(name, port: port)
    }

    private let pool: BlockingPool

    package init(pool: BlockingPool) { self.pool = pool }

    /// Resolves a name and passes the answer to `done` on a thread of the pool. Returns false, without calling `done`,
    /// if the pool is full.
    package func resolve(_ name: String, port: UInt16, _ done: @escaping @Sendable (Answer) -> Void) -> Bool {
        pool.submit { done(NameLookup.answer(name, port: port)) }
    }
}

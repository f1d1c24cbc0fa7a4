import Bytes
import Reactor

/// The ring of consistent hashing: every server has many points on it, and a key belongs to the first server after its
/// position. A server that leaves gives up only its own keys, and gets them back after an interruption.
///
/// Points depend only on a server's address and weight: every worker, and every gateway in front of the same servers,
/// maps a key to the same server.
struct HashRing {
    private struct Point {
        var place: UInt64
        var server: Int
    }

    /// Points per server of weight 1: shares are even to about a twelfth.
    private static let density = 160
    private static let mostPoints = 32_768
    private static let hash = KeyedHash(seed0: 0x706f_7274_6375_6c6c, seed1: 0x6973_2072_696e_6731)
    private var points: [Point] = []

    /// The position of a key on the ring.
    static func place(_ key: Span<UInt8>) -> UInt64 { hash.hash(key) }

    init() {}

    init(_ servers: [UpstreamServer]) {
        var density = HashRing.density
        // Reduced only by halving, so that other servers' points stay in place when servers come and go.
        let weights = servers.reduce(0) { $0 + $1.weight }
        while density > 1, weights * density > HashRing.mostPoints { density /= 2 }
        for (index, server) in servers.enumerated() {
            let base = HashRing.place(Array(server.address.description.utf8).span)
            for replica in 0..<server.weight * density {
                points.append(
                    Point(place: HashRing.mix(base &+ UInt64(replica) &* 0x9e37_79b9_7f4a_7c15), server: index))
            }
        }
        points.sort { ($0.place, $0.server) < ($1.place, $1.server) }
    }

    var count: Int { points.count }

    /// The server of a point.
    func server(at index: Int) -> Int { points[index].server }

    /// The first point after a position.
    func first(after place: UInt64) -> Int {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low == points.count ? 0 : low
    }

    /// Mixes all bits of a word (the finaliser of SplitMix64).
    static func mix(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

import Foundation

/// Clients that get tokens and use them, one after the other, until told to stop.
final class TokenLoad: Sendable {
    private struct Counts {
        var tokens = 0
        var running = 0
        var kids: Set<String> = []
        var failures: [String] = []
    }

    private let counts = Monitor(Counts())
    private let ended = Monitor(false)

    /// - Parameter use: gets one token for the client of this number and uses it; answers its key and what was refused.
    init(clients: Int, _ use: @escaping @Sendable (Int) throws -> (kid: String?, failures: [String])) {
        counts.withLock { $0.running = clients }
        for client in 0..<clients {
            Thread.detachNewThread { [counts, ended] in
                while !ended.current {
                    let (kid, failures): (String?, [String])
                    do { (kid, failures) = try use(client) } catch { (kid, failures) = (nil, ["\(error)"]) }
                    counts.withLock {
                        $0.tokens += 1
                        if let kid { $0.kids.insert(kid) }
                        $0.failures += failures
                    }
                }
                counts.withLock { $0.running -= 1 }
            }
        }
    }

    func waitForMore(_ count: Int) {
        let goal = counts.current.tokens + count
        _ = counts.wait { $0.tokens >= goal || !$0.failures.isEmpty ? true : nil }
    }

    func stop() -> (kids: Set<String>, failures: [String]) {
        ended.withLock { $0 = true }
        _ = counts.wait { $0.running == 0 ? true : nil }
        return (counts.current.kids, counts.current.failures)
    }
}

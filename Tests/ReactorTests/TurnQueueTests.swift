import Model
import Testing

@testable import Reactor

/// Waiting work takes turns by party and priority.
@Suite struct TurnQueueTests {
    private static func party(_ number: Int) -> IPAddress? {
        IPAddress("10.0.\(number / 250).\(number % 250)")
    }

    private func all(_ queue: inout TurnQueue<String>) -> [String] {
        var taken: [String] = []
        while let next = queue.next() { taken.append(next) }
        #expect(queue.count == 0)
        return taken
    }

    @Test("parties take turns, and each has its own order")
    func turns() {
        var queue = TurnQueue<String>(priorities: 3)
        for number in 0..<4 { queue.append("a\(number)", of: Self.party(1), priority: 0) }
        for number in 0..<2 { queue.append("b\(number)", of: Self.party(2), priority: 0) }
        queue.append("c0", of: nil, priority: 0)
        #expect(queue.count == 7)
        #expect(all(&queue) == ["a0", "b0", "c0", "a1", "b1", "a2", "a3"])
        queue.append("a4", of: Self.party(1), priority: 0)
        #expect(all(&queue) == ["a4"])
    }

    @Test("one party of many waits for one piece of each, and not at all behind a later priority")
    func manyParties() {
        var queue = TurnQueue<String>(priorities: 3)
        for piece in 0..<5 {
            for number in 0..<200 { queue.append("\(number) \(piece)", of: Self.party(number), priority: 2) }
        }
        queue.append("quiet", of: Self.party(999), priority: 2)
        queue.append("standard", of: Self.party(998), priority: 1)
        queue.append("known", of: Self.party(997), priority: 0)
        let order = all(&queue)
        #expect(order[0] == "known" && order[1] == "standard" && order.firstIndex(of: "quiet") == 202)
    }

    @Test("a later priority gets its share")
    func shares() {
        var queue = TurnQueue<String>(priorities: 3)
        for priority in 0..<3 {
            for _ in 0..<100 { queue.append("\(priority)", of: Self.party(priority), priority: priority) }
        }
        var counts: [String: Int] = [:]
        for _ in 0..<64 { counts[queue.next() ?? "", default: 0] += 1 }
        #expect(counts == ["0": 48, "1": 12, "2": 4])
    }

    @Test("room is made by the party that has most, of the last priority, and by its latest piece")
    func displaced() {
        var queue = TurnQueue<String>(priorities: 3)
        for number in 0..<3 { queue.append("a\(number)", of: Self.party(1), priority: 1) }
        queue.append("b0", of: Self.party(2), priority: 2)
        queue.append("k0", of: Self.party(3), priority: 0)
        #expect(queue.displaced(by: Self.party(3), priority: 0) == "b0")
        #expect(queue.displaced(by: Self.party(2), priority: 1) == "a2")
        #expect(queue.displaced(by: Self.party(2), priority: 2) == nil, "all others are more urgent")
        #expect(queue.displaced(by: Self.party(1), priority: 1) == nil, "it is the party that has most")
        #expect(queue.displaced(by: Self.party(2), priority: 1) == "a1")
        #expect(queue.displaced(by: Self.party(2), priority: 1) == nil, "each party has one")
        #expect(queue.displaced(by: Self.party(2), priority: 0) == "a0")
        #expect(all(&queue) == ["k0"])
    }

    @Test("work without a waiting request is taken out")
    func unwanted() {
        var queue = TurnQueue<String>(priorities: 3)
        for number in 0..<3 {
            queue.append("a\(number)", of: Self.party(1), priority: 1)
            queue.append("b\(number)", of: Self.party(2), priority: number)
        }
        #expect(queue.removeAll { $0.hasPrefix("b") || $0 == "a1" }.sorted() == ["a1", "b0", "b1", "b2"])
        #expect(queue.count == 2)
        queue.append("b3", of: Self.party(2), priority: 1)
        #expect(all(&queue) == ["a0", "b3", "a2"])
    }

    @Test("what comes next can be seen, and work of a party leaves in place")
    func leaving() {
        var queue = TurnQueue<String>(priorities: 1)
        #expect(queue.first == nil)
        for number in 0..<3 { queue.append("a\(number)", of: Self.party(1), priority: 0) }
        queue.append("b0", of: Self.party(2), priority: 0)
        #expect(queue.first == "a0")
        queue.remove(of: Self.party(1), priority: 0) { $0 == "a1" }
        queue.remove(of: Self.party(2), priority: 0) { $0 == "a0" }
        #expect(queue.count == 3 && queue.first == "a0")
        queue.remove(of: Self.party(2), priority: 0) { $0 == "b0" }
        #expect(all(&queue) == ["a0", "a2"])
        for _ in 0..<40 {
            queue.append("c", of: Self.party(3), priority: 0)
            #expect(queue.first == "c" && queue.next() == "c")
        }
    }
}

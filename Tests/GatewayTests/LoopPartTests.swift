import Testing

@testable import Gateway

/// Parts of a worker that need no loop.
@Suite struct LoopPartTests {
    @Test("a slab gives an object back that is in no use, at its own place")
    func slab() {
        let slab = Slab<ClientConnection>()
        let made = (0..<3).map { _ in slab.take { ClientConnection(index: $0) } }
        #expect(made.map(\.index) == [0, 1, 2])
        #expect(slab.used == 3)
        slab.give(made[1])
        slab.give(made[0])
        #expect(slab.used == 1)
        var vacant: [Int] = []
        slab.forEachVacant { vacant.append($0.index) }
        #expect(vacant.sorted() == [0, 1])
        // The one that was used last is the one whose memory is warm.
        #expect(slab.take { _ in ClientConnection(index: 9) } === made[0])
        #expect(slab.take { _ in ClientConnection(index: 9) } === made[1])
        #expect(slab.take { ClientConnection(index: $0) }.index == 3)
        #expect(slab.all.map(\.index) == [0, 1, 2, 3] && slab.used == 4)
        #expect(slab[1] === made[1])
    }

    /// Connections of a listener, each idle since another time.
    private func clients(_ count: Int, listener: Int) -> [ClientConnection] {
        (0..<count).map { index in
            let client = ClientConnection(index: index)
            client.listener = listener
            client.idleSince = Int64(1000 - index)
            return client
        }
    }

    @Test("of too many connections of a control listener, the one that was idle for the longest is in the way")
    func controlClients() {
        let list = ControlClients()
        let many = clients(64, listener: 1)
        for client in many.dropLast() { list.add(client) }
        #expect(list.inTheWay(of: 1) == nil && list.hasRoom(1))
        if let last = many.last { list.add(last) }
        #expect(list.inTheWay(of: 1) === many.last)
        // Each listener has room of its own.
        #expect(list.inTheWay(of: 2) == nil && list.hasRoom(2) && list.count == 64)
        if let last = many.last { list.remove(last) }
        #expect(list.inTheWay(of: 1) == nil)
    }

    @Test("where all have a request under way, the reserve is for probes")
    func controlReserve() throws {
        let bench = try WorkerBench()
        let list = ControlClients()
        for client in clients(80, listener: 1) {
            client.exchange = bench.worker.exchanges.take()
            list.add(client)
            #expect(list.isCrowded(1) == (list.count > 64))
        }
        #expect(list.inTheWay(of: 1) == nil)
        #expect(!list.hasRoom(1))
        for exchange in bench.worker.exchanges.all.all { bench.worker.exchanges.recycle(exchange) }
    }

    @Test("of groups with room each is given out once")
    func groupsWithRoom() throws {
        let bench = try WorkerBench()
        let groups = bench.worker.groups
        let group = try #require(groups.all.first)
        #expect(!groups.hasRoom && groups.nextWithRoom() == nil)
        groups.serveQueueLater(group)
        groups.serveQueueLater(group)
        #expect(groups.hasRoom)
        #expect(groups.nextWithRoom() === group)
        #expect(groups.nextWithRoom() == nil && !groups.hasRoom)
    }
}

import Bytes
import Identity
import Model
import Outbound
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Calls of a worker that is moved by hand, to a server that is moved by hand.
final class CallBench {
    let bench: WorkerBench
    let server = PeerListener()
    private let results = Results()

    final class Results: Sendable {
        let list = Mutex<[OutboundResult]>([])
    }

    init() throws { bench = try WorkerBench() }

    func url(_ path: String = "/keys", port: UInt16? = nil, host: String = "127.0.0.1") throws -> WebURL {
        try WebURL("http://\(host):\(port ?? server.port)\(path)")
    }

    /// Makes a call.
    func call(_ change: (inout OutboundCall) throws -> Void = { _ in }) throws {
        var call = OutboundCall(url: try url(), maximumBytes: 1000)
        // As long as a bench turns: on a busy machine, reading the authorities of the system alone may take seconds.
        call.connectTimeoutMilliseconds = 30_000
        call.readTimeoutMilliseconds = 30_000
        try change(&call)
        let results = results
        bench.shared.outbound.perform(call) { result in results.list.withLock { $0.append(result) } }
    }

    /// Makes a call and lets it arrive at the server.
    func arrived(_ change: (inout OutboundCall) throws -> Void = { _ in }) throws -> Peer {
        try call(change)
        return try accepted()
    }

    /// The next connection to the server, with a whole head on it.
    func accepted() throws -> Peer {
        var peer: Peer?
        bench.turn {
            peer = server.accept()
            return peer != nil
        }
        let found = try #require(peer)
        bench.turn { found.text.contains("\r\n\r\n") }
        return found
    }

    var resultCount: Int { results.list.withLock { $0.count } }

    /// What became of the first call that was not asked about yet: `200 body`, or the failure.
    func result(sourceLocation: SourceLocation = #_sourceLocation) -> String {
        bench.turn(until: { resultCount > 0 }, sourceLocation: sourceLocation)
        guard let result = results.list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return "" }
        switch result {
        case .response(let response): return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
        case .failed(let failure, _): return failure.rawValue
        }
    }

    /// Calls that hold anything.
    var busy: Int { bench.worker.outboundClient.connections.all.count { $0.phase != .vacant } }

    func expectNothingLeft(idle: Int = 0, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(busy == idle, sourceLocation: sourceLocation)
        #expect(bench.shared.outbound.counters.underWay == 0, sourceLocation: sourceLocation)
        #expect(resultCount == 0, sourceLocation: sourceLocation)
        bench.turn(until: { bench.worker.poller.chunks.inUse == 0 }, sourceLocation: sourceLocation)
    }
}

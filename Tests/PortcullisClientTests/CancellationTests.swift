import ClientStore
import TestSupport
import Testing

@testable import PortcullisClient

/// Requests that are not wanted any more (UPS-08).
@Suite struct CancellationTests {
    private let listener = PeerListener()
    /// Generous, since it is only spent on failures, and other tests may take all threads for a while.
    private let patience = Duration.seconds(600)

    private func begin() throws -> Task<ClientResponse, any Error> {
        let transport = try ConnectionTransport()
        let request = ClientRequest("GET", "http://127.0.0.1:\(listener.port)/slow")
        return Task { try await transport.send(request) }
    }

    /// What the server sees of the next request, once all of it has come.
    private func serve() async throws -> Peer {
        let deadline = ContinuousClock.now + patience
        var peer: Peer?
        while peer?.text.hasSuffix("\r\n\r\n") != true {
            try #require(ContinuousClock.now < deadline)
            peer = peer ?? listener.accept()
            // Others want the thread, and may keep it for long.
            try await Task.sleep(for: .milliseconds(1))
        }
        return try #require(peer)
    }

    @Test("UPS-08: a request that is cancelled ends, and its connection with it")
    func midway() async throws {
        let task = try begin()
        let peer = try await serve()
        #expect(!peer.isOver)
        task.cancel()
        let result = await task.result
        #expect(throws: ClientError.cancelled) { try result.get() }
        let deadline = ContinuousClock.now + patience
        while !peer.isOver { try #require(ContinuousClock.now < deadline) }
    }

    @Test("UPS-08: a half of an answer is none")
    func halfway() async throws {
        let task = try begin()
        let peer = try await serve()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
        task.cancel()
        let result = await task.result
        #expect(throws: ClientError.cancelled) { try result.get() }
    }

    @Test("UPS-08: once it is completed, to cancel it has no effect")
    func afterwards() async throws {
        let task = try begin()
        let peer = try await serve()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(try await task.value.status == 200)
        task.cancel()
        #expect(try await task.value.status == 200)
    }

    @Test("UPS-08: what is cancelled before it began is not begun")
    func before() async throws {
        let transport = try ConnectionTransport()
        let url = "http://127.0.0.1:\(listener.port)/slow"
        let task = Task { () throws -> ClientResponse in
            while !Task.isCancelled { await Task.yield() }
            return try await transport.send(ClientRequest("GET", url))
        }
        task.cancel()
        let result = await task.result
        #expect(throws: ClientError.cancelled) { try result.get() }
        #expect(listener.accept() == nil)
    }
}

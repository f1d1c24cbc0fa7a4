import Reactor
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A worker's connection to a scripted server, which does what no real one would.
@Suite struct WorkerRedisPeerTests {
    private static let ping = "*1\r\n$4\r\nPING\r\n"
    private static func get(_ key: String) -> String { "*2\r\n$3\r\nGET\r\n$\(key.utf8.count)\r\n\(key)\r\n" }

    private func bench(
        _ listener: PeerListener, _ change: (inout RedisSettings) -> Void = { _ in }
    ) throws -> WorkerBench {
        try WorkerBench.redis(
            .address(try #require(SocketAddress(literal: "127.0.0.1", port: listener.port))), change)
    }

    /// The next connection, greeted.
    private func greeted(_ bench: WorkerBench, _ listener: PeerListener) throws -> Peer {
        var peer: Peer?
        bench.turn(until: {
            peer = peer ?? listener.accept()
            return peer?.text == Self.ping
        })
        let server = try #require(peer)
        server.forget()
        server.send("+PONG\r\n")
        return server
    }

    private func expect(_ server: Peer, _ bench: WorkerBench, gets text: String) {
        bench.turn(until: { server.text == text })
        server.forget()
    }

    @Test func aCutInTheMiddleOfAReply() throws {
        let listener = PeerListener()
        let bench = try bench(listener)
        bench.settle()
        #expect(listener.accept() == nil, "opened without need")
        let answers = Answers()
        for key in ["a", "b", "c"] { bench.send(["GET", key], to: answers) }
        let first = try greeted(bench, listener)
        expect(first, bench, gets: Self.get("a") + Self.get("b") + Self.get("c"))
        first.send("$2\r\nva\r\n$200\r\nhalf of")
        first.close()
        bench.turn(until: { answers.count == 3 })
        #expect(
            answers.list == [.success(.bytes(Array("va".utf8))), .failure(.unavailable), .failure(.unavailable)])
        // The next connection begins anew, and gets nothing that the first one got.
        let again = bench.send(["GET", "d"])
        let second = try greeted(bench, listener)
        expect(second, bench, gets: Self.get("d"))
        second.send(":4\r\n")
        bench.turn(until: { again.count == 1 })
        #expect(again.list == [.success(.integer(4))])
        bench.expectNothingLeft()
    }

    @Test func repliesByteByByte() throws {
        let listener = PeerListener()
        let bench = try bench(listener) { $0.timeout = 5000 }
        let answers = Answers()
        for key in ["a", "b"] { bench.send(["GET", key], to: answers) }
        let server = try greeted(bench, listener)
        for byte in Array("*2\r\n$1\r\nx\r\n:-7\r\n-ERR no\r\n".utf8) {
            server.send([byte])
            bench.settle()
        }
        bench.turn(until: { answers.count == 2 })
        let array = RESPValue.array([.bytes([120]), .integer(-7)])
        #expect(answers.list == [.success(array), .success(.error(Array("ERR no".utf8)))])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n+PONG\r\n", "$99999999999\r\n", ":1\r\n:2\r\n"])
    func anAnswerThatIsNone(_ text: String) throws {
        let listener = PeerListener()
        let bench = try bench(listener)
        let warm = bench.send(["GET", "warm"])
        let server = try greeted(bench, listener)
        expect(server, bench, gets: Self.get("warm"))
        server.send(":1\r\n")
        bench.turn(until: { warm.count == 1 })
        let answers = bench.send(["GET", "a"])
        expect(server, bench, gets: Self.get("a"))
        server.send(text)
        bench.turn(until: { server.isOver })
        #expect(answers.count == 1)
    }

    @Test func tooManyCommandsAreRefused() throws {
        let listener = PeerListener()
        let bench = try bench(listener) { $0.limit = 5 }
        let answers = Answers()
        for _ in 0..<8 { bench.send(["GET", "a"], to: answers) }
        bench.turn(until: { answers.count == 3 })
        #expect(answers.list == Array(repeating: .failure(.overloaded), count: 3))
        let server = try greeted(bench, listener)
        server.send(String(repeating: ":1\r\n", count: 5))
        bench.turn(until: { answers.count == 8 })
    }

    // MARK: The end

    /// A worker ends once what others wait for is answered.
    @Test func aDrainWaitsForAnswers() throws {
        let listener = PeerListener()
        let bench = try bench(listener) { $0.timeout = 5000 }
        let answers = bench.send(["GET", "a"])
        let server = try greeted(bench, listener)
        expect(server, bench, gets: Self.get("a"))
        bench.shared.drain()
        bench.settle()
        #expect(!bench.worker.shutdown.isFinished)
        server.send(":1\r\n")
        bench.turn(until: { bench.worker.shutdown.isFinished })
        #expect(answers.list == [.success(.integer(1))])
    }

    /// No call is left waiting, neither those that are under way nor those that come later.
    @Test func theEndAnswersEverybody() throws {
        let listener = PeerListener()
        let bench = try bench(listener) { $0.timeout = 5000 }
        let answers = bench.send(["GET", "a"])
        let server = try greeted(bench, listener)
        expect(server, bench, gets: Self.get("a"))
        bench.send(["GET", "b"], to: answers)
        bench.worker.shutdown.isFinished = true
        try bench.worker.run([]) {}
        #expect(answers.list == [.failure(.unavailable), .failure(.unavailable)])
        bench.turn()
        #expect(server.waitForEnd())
        #expect(bench.send(["GET", "c"]).list == [.failure(.unavailable)])
    }
}

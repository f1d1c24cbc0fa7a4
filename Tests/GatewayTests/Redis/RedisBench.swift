import Reactor
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// Answers in the order in which they came.
final class Answers: Sendable {
    private let all = Mutex<[Result<RESPValue, StoreFailure>]>([])

    var list: [Result<RESPValue, StoreFailure>] { all.withLock { $0 } }
    var count: Int { all.withLock { $0.count } }

    func add(_ answer: Result<RESPValue, StoreFailure>) { all.withLock { $0.append(answer) } }
}

extension WorkerBench {
    /// A worker with a Redis server. Commands have 300 ms, so that a test of silence is short.
    static func redis(
        _ target: ServerSettings.Target, tls: UpstreamTLS? = nil, _ change: (inout RedisSettings) -> Void = { _ in }
    ) throws -> WorkerBench {
        var session = RedisSettings()
        session.timeout = 300
        change(&session)
        return try WorkerBench { $0.redis = RedisServer(target, tls: tls, session: session) }
    }

    static func redis(
        _ server: RedisProcess, _ change: (inout RedisSettings) -> Void = { _ in }
    ) throws -> WorkerBench {
        try redis(.address(try #require(SocketAddress(unixPath: server.socketPath))), change)
    }

    /// Sends a command from outside of the loop.
    @discardableResult
    func send(_ words: [String], to answers: Answers = Answers()) -> Answers {
        redis?.send([words.map { Array($0.utf8) }]) { for answer in $0 { answers.add(answer) } }
        return answers
    }

    /// Sends a command and turns until it is answered.
    func ask(
        _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Result<RESPValue, StoreFailure>? {
        let answers = send(words)
        turn(until: { answers.count > 0 }, sourceLocation: sourceLocation)
        return answers.list.first
    }

    /// Asks again and again until the server answers.
    func askUntilAnswered(_ words: [String], sourceLocation: SourceLocation = #_sourceLocation) -> RESPValue? {
        let deadline = Clock.monotonicMilliseconds + 10_000
        while Clock.monotonicMilliseconds < deadline {
            if case .success(let value)? = ask(words, sourceLocation: sourceLocation) { return value }
        }
        Issue.record("no answer", sourceLocation: sourceLocation)
        return nil
    }
}

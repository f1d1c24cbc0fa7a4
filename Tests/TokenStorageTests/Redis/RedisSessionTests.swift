import Bytes
import Testing

@testable import TokenStorage

/// A session and the time, moved by hand.
struct SessionBench {
    var session: RedisSession
    var now: Int64 = 1000
    private var next: UInt64 = 0

    init(_ change: (inout RedisSettings) -> Void = { _ in }) {
        var settings = RedisSettings()
        change(&settings)
        session = RedisSession(settings, seed: 1)
    }

    /// Submits `GET NUMBER` and answers what is done.
    mutating func ask() -> [RedisSession.Action] {
        next += 1
        return session.submit(SessionBench.words(next), number: next, now: now)
    }

    static func words(_ number: UInt64) -> [[UInt8]] { [Array("GET".utf8), Array("\(number)".utf8)] }

    /// Sending these commands, the numbers of `ask`.
    static func sending(_ numbers: UInt64...) -> RedisSession.Action {
        var bytes: [UInt8] = []
        for number in numbers { RESPCommand.append(words(number), to: &bytes) }
        return .send(bytes)
    }

    mutating func hear(_ text: String) -> [RedisSession.Action] {
        let bytes = Array(text.utf8)
        return session.received(bytes.span, now: now)
    }

    mutating func tick(at time: Int64) -> [RedisSession.Action] {
        now = time
        return session.tick(now: time)
    }

    /// Connects and greets, and has the command `1` answered.
    mutating func warmUp() {
        _ = ask()
        _ = session.connected(now: now)
        _ = hear("+PONG\r\n")
        _ = hear("+one\r\n")
    }
}

extension RedisSession.Action {
    static func refused(_ number: UInt64, _ failure: StoreFailure = .unavailable) -> RedisSession.Action {
        .answer(number, .failure(failure))
    }

    static func answered(_ number: UInt64, _ text: String) -> RedisSession.Action {
        .answer(number, .success(.status(text)))
    }
}

@Suite struct RedisSessionTests {
    @Test func theFirstCommandOpensTheConnection() {
        var bench = SessionBench()
        #expect(bench.session.deadline == .max)
        #expect(bench.ask() == [.connect])
        #expect(bench.ask() == [])
        #expect(bench.session.connected(now: 1000) == [.send(Array("*1\r\n$4\r\nPING\r\n".utf8))])
        #expect(bench.hear("+PO") == [])
        #expect(bench.hear("NG\r\n") == [.opened, SessionBench.sending(1, 2)])
        #expect(bench.hear("+one\r\n+two\r\n") == [.answered(1, "one"), .answered(2, "two")])
        #expect(bench.ask() == [SessionBench.sending(3)])
        #expect(bench.session.pending == 1)
    }

    @Test(arguments: [
        (nil, "p", 0, "*2\r\n$4\r\nAUTH\r\n$1\r\np\r\n*1\r\n$4\r\nPING\r\n"),
        ("u", "p", 0, "*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n*1\r\n$4\r\nPING\r\n"),
        (nil, nil, 3, "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n*1\r\n$4\r\nPING\r\n"),
    ])
    func theGreetingComesFirst(_ username: String?, _ password: String?, _ database: Int, _ text: String) {
        var bench = SessionBench { ($0.username, $0.password, $0.database) = (username, password, database) }
        #expect(bench.ask() == [.connect])
        #expect(bench.session.connected(now: 1000) == [.send(Array(text.utf8))])
        #expect(bench.hear("+OK\r\n") == [])
        #expect(bench.hear("+PONG\r\n") == [.opened, SessionBench.sending(1)])
    }

    @Test func aWrongPasswordIsTold() {
        var bench = SessionBench { $0.password = "p" }
        _ = bench.ask()
        _ = bench.session.connected(now: 1000)
        let actions = bench.hear("-WRONGPASS invalid username-password pair\r\n-NOAUTH Authentication required.\r\n")
        #expect(actions == [.close, .refused(1), .lost(.refused("WRONGPASS"))])
        // No call waits for a server that is known to refuse.
        #expect(bench.ask() == [.refused(2)])
        // The same again is not told again.
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
        _ = bench.session.connected(now: bench.now)
        #expect(bench.hear("-WRONGPASS\r\n") == [.close])
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
        #expect(bench.session.broke(.unreachable, now: bench.now) == [.close, .lost(.unreachable)])
    }

    @Test func whatWasSentIsNeverSentAgain() {
        var bench = SessionBench()
        bench.warmUp()
        _ = bench.ask()
        _ = bench.ask()
        #expect(bench.hear("+two\r\n+th") == [.answered(2, "two")])
        #expect(bench.session.broke(.closed, now: 1000) == [.close, .refused(3), .lost(.closed)])
        // What comes now waits for the next connection.
        #expect(bench.ask() == [])
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
        #expect(bench.session.connected(now: bench.now).count == 1)
        #expect(bench.hear("+PONG\r\n") == [.opened, SessionBench.sending(4)])
        // The half of a reply of the connection before is forgotten.
        #expect(bench.hear("+four\r\n") == [.answered(4, "four")])
    }

    @Test func afterAFailedAttemptNobodyWaits() {
        var bench = SessionBench()
        bench.warmUp()
        _ = bench.session.broke(.closed, now: 1000)
        #expect(bench.ask() == [])
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
        #expect(bench.session.broke(.unreachable, now: bench.now) == [.close, .refused(2), .lost(.unreachable)])
        #expect(bench.ask() == [.refused(3)])
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
        #expect(bench.ask() == [.refused(4)])
        _ = bench.session.connected(now: bench.now)
        #expect(bench.ask() == [.refused(5)])
        #expect(bench.hear("+PONG\r\n") == [.opened])
        #expect(bench.ask() == [SessionBench.sending(6)])
    }

    @Test func pausesGrowAndDiffer() {
        var bench = SessionBench { ($0.firstPause, $0.longestPause) = (50, 2000) }
        _ = bench.ask()
        var pauses: [Int64] = []
        for _ in 0..<12 {
            _ = bench.session.broke(.unreachable, now: bench.now)
            pauses.append(bench.session.deadline - bench.now)
            #expect(bench.tick(at: bench.session.deadline) == [.connect])
        }
        for (attempt, pause) in pauses.enumerated() {
            let whole: Int64 = min(2000, 50 << Int64(attempt))
            #expect((whole / 2...whole).contains(pause), "\(attempt): \(pause)")
        }
        #expect(Set(pauses.suffix(6)).count > 3)
    }

    @Test func aSilentServerIsLeft() {
        var bench = SessionBench { $0.timeout = 1000 }
        bench.warmUp()
        bench.now = 2000
        _ = bench.ask()
        bench.now = 2500
        _ = bench.ask()
        #expect(bench.session.deadline == 3000)
        #expect(bench.tick(at: 2999) == [])
        #expect(bench.tick(at: 3000) == [.close, .refused(2, .timedOut), .refused(3), .lost(.timedOut)])
        #expect(bench.hear("+late\r\n") == [])
        // A frozen server still takes connections.
        #expect(bench.ask() == [])
        let resumed = bench.session.deadline
        #expect(bench.tick(at: resumed) == [.connect])
        _ = bench.session.connected(now: resumed)
        // The command has waited for its time, and was not sent.
        #expect(bench.tick(at: 4000) == [.refused(4)])
        #expect(bench.tick(at: resumed + 1000) == [.close])
        #expect(bench.ask() == [.refused(5)])
    }

    @Test func tooMuchIsRefused() {
        var bench = SessionBench { $0.limit = 3 }
        _ = bench.ask()
        _ = bench.ask()
        _ = bench.ask()
        #expect(bench.ask() == [.refused(4, .overloaded)])
        _ = bench.session.connected(now: 1000)
        #expect(bench.hear("+PONG\r\n").count == 2)
        #expect(bench.ask() == [.refused(5, .overloaded)])
        #expect(bench.hear("+one\r\n") == [.answered(1, "one")])
        #expect(bench.ask() == [SessionBench.sending(6)])
    }

    @Test(arguments: [
        ("+OK\r\n", RedisFault.unasked), ("*1\r\n?", .malformed(.malformed)), ("$99999999\r\n", .malformed(.tooLarge)),
    ])
    func whatNobodyAskedForEndsTheConnection(_ text: String, _ fault: RedisFault) {
        var bench = SessionBench()
        bench.warmUp()
        #expect(bench.hear(text) == [.close, .lost(fault)])
    }

    @Test func anAnswerBeforeGarbageCounts() {
        var bench = SessionBench()
        bench.warmUp()
        _ = bench.ask()
        _ = bench.ask()
        #expect(
            bench.hear("+two\r\n\n") == [.answered(2, "two"), .close, .refused(3), .lost(.malformed(.malformed))])
    }

    @Test func anotherProtocolIsNoGreeting() {
        var bench = SessionBench()
        _ = bench.ask()
        _ = bench.session.connected(now: 1000)
        #expect(bench.hear(":1\r\n") == [.close, .refused(1), .lost(.unasked)])
    }

    /// Its name may lead to another server by now.
    @Test func aReplicaIsLeft() {
        var bench = SessionBench()
        bench.warmUp()
        _ = bench.ask()
        let actions = bench.hear("-READONLY You can't write against a read only replica.\r\n")
        #expect(actions.dropFirst() == [.close, .lost(.readOnly)])
        #expect(bench.tick(at: bench.session.deadline) == [.connect])
    }

    /// One that greets and breaks is no better than one that is down.
    @Test func aServerThatOnlyGreetsIsDown() {
        var bench = SessionBench()
        _ = bench.ask()
        for attempt in 0..<6 {
            _ = bench.session.connected(now: bench.now)
            _ = bench.hear("+PONG\r\n")
            _ = bench.session.broke(.closed, now: bench.now)
            #expect(bench.session.deadline - bench.now >= min(2000, 50 << Int64(attempt)) / 2)
            #expect(bench.tick(at: bench.session.deadline) == [.connect])
        }
    }

    /// A server that closes what is idle is not down.
    @Test func anIdleConnectionMayEnd() {
        var bench = SessionBench()
        _ = bench.ask()
        _ = bench.session.connected(now: bench.now)
        _ = bench.hear("+PONG\r\n+one\r\n")
        bench.now += 60_000
        #expect(bench.session.broke(.closed, now: bench.now) == [.close, .lost(.closed)])
        #expect(bench.ask() == [])
    }

    @Test func theEndAnswersEverybody() {
        var bench = SessionBench()
        bench.warmUp()
        _ = bench.ask()
        #expect(bench.session.end() == [.close, .refused(2)])
        #expect(bench.ask() == [.refused(3)])
        #expect(bench.session.deadline == .max)
        #expect(bench.session.end() == [])
    }
}

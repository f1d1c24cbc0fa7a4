import Bytes
import TestSupport
import Testing

@testable import TokenStorage

/// A session and a server that breaks, stalls and cuts its replies at random.
private struct RandomWorld {
    private var random: SeededRandom
    private var session: RedisSession
    private var now: Int64 = 0
    private var submitted: UInt64 = 0
    /// How each command was answered.
    private(set) var answers: [UInt64: [Result<RESPValue, StoreFailure>]] = [:]
    /// How often the server got each command.
    private(set) var received: [UInt64: Int] = [:]

    private var isConnecting = false
    private var isConnected = false
    private var serverReader = RESPReader()
    /// On its way to the session.
    private var replies: [UInt8] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var settings = RedisSettings()
        settings.limit = 20
        settings.password = "p"
        session = RedisSession(settings, seed: seed)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        follow(session.end())
    }

    private mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8:
            submitted += 1
            follow(session.submit(SessionBench.words(submitted), number: submitted, now: now))
        case 8..<14: deliver()
        case 14..<17:
            if isConnecting {
                isConnecting = false
                isConnected = Bool.random(using: &random) || Bool.random(using: &random)
                follow(isConnected ? session.connected(now: now) : session.broke(.unreachable, now: now))
            }
        case 17:
            if isConnected { follow(session.broke(.closed, now: now)) }
        default:
            now += Int64.random(in: 0...600, using: &random)
            if session.deadline <= now { follow(session.tick(now: now)) }
        }
    }

    private mutating func deliver() {
        guard isConnected, !replies.isEmpty else { return }
        let count = Int.random(in: 1...replies.count, using: &random)
        let piece = Array(replies[..<count])
        replies.removeFirst(count)
        follow(session.received(piece.span, now: now))
    }

    private mutating func follow(_ actions: [RedisSession.Action]) {
        for action in actions {
            switch action {
            case .connect:
                #expect(!isConnecting && !isConnected)
                isConnecting = true
            case .close:
                (isConnecting, isConnected) = (false, false)
                replies = []
                serverReader = RESPReader()
            case .send(let bytes):
                #expect(isConnected)
                serve(bytes)
            case .answer(let number, let result): answers[number, default: []].append(result)
            case .opened, .lost: break
            }
        }
    }

    /// The server: it answers a command with its number.
    private mutating func serve(_ bytes: [UInt8]) {
        serverReader.append(bytes.span)
        while case .array(let words)? = try? serverReader.next() {
            guard words.first == .bytes("GET"), case .bytes(let text) = words[1],
                let number = Decimal.parse(text.span)
            else {
                replies += (words.first == .bytes("PING") ? RESPValue.status("PONG") : .status("OK")).encoded
                continue
            }
            received[UInt64(number), default: 0] += 1
            replies += RESPValue.integer(Int64(number)).encoded
        }
    }

    func check(_ seed: Int) {
        for number in 1...submitted {
            let all = answers[number] ?? []
            #expect(all.count == 1, "seed \(seed): \(number) has \(all.count) answers")
            #expect(received[number, default: 0] <= 1, "seed \(seed): \(number) was sent twice")
            guard case .success(let reply)? = all.first else { continue }
            #expect(reply == .integer(Int64(number)), "seed \(seed): \(number) got \(reply)")
        }
    }

    var successes: Int { answers.values.count { if case .success? = $0.first { true } else { false } } }
}

@Suite struct RedisSessionRandomTests {
    /// Every command has exactly one answer, its own, and reaches the server once at the most.
    @Test func everyCommandHasOneAnswer() {
        var successes = 0
        for seed in 0..<300 {
            var world = RandomWorld(seed: UInt64(seed))
            world.run(steps: 400)
            world.check(seed)
            successes += world.successes
        }
        #expect(successes > 300)
    }
}

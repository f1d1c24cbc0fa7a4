import TestSupport
import Testing

@testable import TokenStorage

/// What is particular to this store: what it leaves in the server, and how it takes a server's refusals.
@Suite struct RedisTokenStoreTests {
    /// A server and a store in it, with the clock of the tests far in the past or the future: only the caller's counts.
    private func withServer<Result>(
        _ options: RedisProcess.Options = [], _ body: (RedisProcess, RedisTokenStore) async throws -> Result
    ) async throws -> Result {
        let server = try RedisProcess(options)
        return try await body(server, store(in: server))
    }

    private func store(in server: RedisProcess) -> RedisTokenStore {
        RedisTokenStore(channel: SocketChannel(path: server.socketPath), keyPrefix: "portcullis:")
    }

    private func seconds(_ server: RedisProcess, _ key: String) throws -> Int {
        try #require(Int(try server.ask("TTL", key)))
    }

    // MARK: Keys

    @Test func allKeysHaveTheSameHashTag() async throws {
        try await withServer { server, store in
            let first = record("a", slot: "s")
            _ = try await store.ask(.claim(first))
            _ = try await store.ask(
                .rotate(
                    refresh: digest("refresh a"), application: "shop", proposed: successor(of: first, "a2"),
                    reuse: .detected()))
            _ = try await store.ask(.remember(key: "k", until: 2000))
            let keys = try server.ask("KEYS", "*").split(separator: "\n")
            #expect(keys.count > 10)
            #expect(keys.allSatisfy { $0.hasPrefix("{portcullis:}") })
            _ = try await store.ask(.revoke(.id("a")))
            _ = try await store.ask(.clean(limit: 9), now: 9000)
            let left = Set(try server.ask("KEYS", "*").split(separator: "\n").map { String($0) })
            #expect(left == ["{portcullis:}sequence", "{portcullis:}single:k"])
        }
    }

    @Test("a document is replaced only in place of the known one")
    func documents() async throws {
        try await withServer { server, store in
            let (one, two) = (Array("one\0".utf8), Array("two".utf8))
            func document(
                _ known: [UInt8]? = nil, _ text: [UInt8] = []
            ) async -> Result<[UInt8], StoreFailure> {
                await withCheckedContinuation { continuation in
                    store.document("d", replacing: known.map { ($0, text) }) { continuation.resume(returning: $0) }
                }
            }
            #expect(await document() == .success([]))
            #expect(await document([1], one) == .success([]))
            #expect(await document([], one) == .success(one))
            #expect(await document([], two) == .success(one))
            #expect(await document(two, two) == .success(one))
            #expect(await document(one, two) == .success(two))
            #expect(await document() == .success(two))
            #expect(try server.ask("KEYS", "*") == "{portcullis:}d")
            try server.ask("DEL", "{portcullis:}d")
            try server.ask("LPUSH", "{portcullis:}d", "x")
            #expect(await document() == .failure(.malformed))
        }
    }

    @Test func aHashTagOfOnesOwnIsTaken() async throws {
        let server = try RedisProcess()
        let store = RedisTokenStore(channel: SocketChannel(path: server.socketPath), keyPrefix: "{mine}:")
        _ = try await store.ask(.deny(.token("t", until: 2000)))
        #expect(try server.ask("GET", "{mine}:sequence") == "1")
    }

    /// An hour longer than the longer-lived of both tokens.
    @Test func recordsGoByThemselves() async throws {
        try await withServer { server, store in
            _ = try await store.ask(.insert(record("both", access: 1100, refresh: 5000)))
            _ = try await store.ask(.insert(record("access", access: 2000, refresh: 1500)))
            _ = try await store.ask(.insert(record("alone", access: 1100, refresh: nil)))
            _ = try await store.ask(.insert(record("ended", access: 500, refresh: 600)))
            _ = try await store.ask(.insert(record("forever", access: .max, refresh: nil)))
            for (id, expected) in [
                ("both", 7600), ("access", 4600), ("alone", 3700), ("ended", 3600), ("forever", 315_360_000),
            ] {
                #expect((expected - 60...expected).contains(try seconds(server, "{portcullis:}record:\(id)")), "\(id)")
                let token = "{portcullis:}token:token of \(id)"
                #expect((expected - 60...expected).contains(try seconds(server, token)), "\(id)")
            }
            // An index stays as long as the longest-lived record in it, with any later ones.
            #expect(try seconds(server, "{portcullis:}subject:joe") > 315_000_000)
            // What was denied, and how far the places are, no server is to forget by itself.
            _ = try await store.ask(.deny(.token("t", until: 2000)))
            for key in ["denied", "denied-ends", "sequence"] {
                #expect(try seconds(server, "{portcullis:}\(key)") == -1)
            }
        }
    }

    /// The server has dropped the record itself: its id still stands in the indexes.
    @Test func whatTheServerDroppedIsNoneAnyMore() async throws {
        try await withServer { server, store in
            for id in ["a", "b", "c"] { _ = try await store.ask(.insert(record(id))) }
            for key in ["record:b", "access:access b", "token:token of b"] {
                _ = try server.ask("DEL", "{portcullis:}\(key)")
            }
            #expect(try await store.records().map(\.id) == ["a", "c"])
            guard case .removed(let gone) = try await store.ask(.revoke(.application("shop"))) else { return }
            #expect(Set(gone.map(\.id)) == ["a", "c"])
            #expect(try server.ask("ZCARD", "{portcullis:}ends") == "0")
            #expect(try await store.ask(.clean(limit: 9), now: 9000) == .cleaned(0))
        }
    }

    @Test func manyAreRevokedInSteps() async throws {
        try await withServer { _, store in
            let count = RedisCall.batch * 2 + 10
            for i in 0..<count {
                _ = try await store.ask(.insert(record("\(i)", application: i % 3 == 0 ? "bank" : "shop")))
            }
            guard case .removed(let some) = try await store.ask(.revoke(.subject(application: "shop", subject: "joe")))
            else { return }
            #expect(Set(some.map(\.id)).count == count - (count + 2) / 3)
            guard case .removed(let rest) = try await store.ask(.revoke(.subject(application: nil, subject: "joe")))
            else { return }
            #expect(some.count + rest.count == count)
            #expect(try await store.denied().count == count)
            #expect(try await store.records().isEmpty)
        }
    }

    /// More than one answer of the server holds, most of them of one second, whose order is that of their ids.
    @Test func manyAreListedInPages() async throws {
        try await withServer { _, store in
            let count = RedisCall.batch * 2 + 10
            for i in 0..<count {
                var one = record("\(i)", application: i % 3 == 0 ? "bank" : "shop", issuedAt: i < 20 ? 1001 : 1000)
                one.attributes = [UInt8](repeating: 32, count: i % 7 == 0 ? 65_536 : 2)
                _ = try await store.ask(.insert(one))
            }
            func ids(_ application: String?, _ limit: Int) async throws -> [String] {
                guard
                    case .records(let records) = try await store.ask(
                        .list(application: application, subject: "joe", limit: limit))
                else { return [] }
                return records.map(\.id)
            }
            let order = (0..<20).map(String.init).sorted() + (20..<count).map(String.init).sorted()
            #expect(try await ids(nil, .max) == order)
            #expect(try await ids(nil, count - 1) == Array(order.dropLast()))
            let bank = order.filter { (Int($0) ?? 0) % 3 == 0 }
            #expect(try await ids("bank", .max) == bank)
            #expect(try await ids("bank", 7) == Array(bank.prefix(7)))
            #expect(try await ids("none", .max).isEmpty)
            #expect(try await ids(nil, 0).isEmpty)
        }
    }

    /// A process that has seen a place does not miss what comes after the server has lost it.
    @Test func placesGrowThoughTheServerForgets() async throws {
        try await withServer { server, store in
            let now: Int64 = 1_800_000_000
            let entry = DenyEntry.token("t", until: now + 60)
            guard case .denied(let first) = try await store.ask(.deny(entry), now: now),
                case .denied(let second) = try await store.ask(.deny(entry), now: now)
            else { return }
            #expect(second == first + 1)
            _ = try server.ask("FLUSHALL")
            #expect(try await store.ask(.changes(after: second, limit: 9), now: now) == .changes([], latest: 0))
            guard case .denied(let third) = try await store.ask(.deny(entry), now: now + 1) else { return }
            #expect(third > second)
            let change = DenyChange(sequence: third, entry: entry)
            #expect(
                try await store.ask(.changes(after: second, limit: 9), now: now) == .changes([change], latest: third))
            // A clock that is behind changes nothing.
            #expect(try await store.ask(.deny(entry), now: now - 500) == .denied(sequence: third + 1))
        }
    }

    @Test("entries that this version cannot read are unknown, at their places")
    func unknownEntries() async throws {
        try await withServer { server, store in
            _ = try await store.ask(.deny(.token("t", subject: "joe", until: 2000)))
            guard case .changes(let first, let place) = try await store.ask(.changes(after: 0, limit: 9)) else {
                return
            }
            let foreign: [(entry: String, kind: String)] = [
                ("family2 0 2000 1 f", "family2"), ("token zero 2000 1 f", "token"), ("token 0 2000 9 f", "token"),
                ("token 0 2000 -1 f", "token"), ("token 0 2000", "token"), ("unknown 0 2000 1 f", "unknown"), ("", ""),
            ]
            // What they are about can be read.
            let notices: [(entry: String, read: DenyEntry)] = [
                (
                    "suspended 5000 2000 6 user:fjoe",
                    .unknown("suspended", about: "user:f", changedAt: 5000, until: 2000)
                ),
                ("withdrawn soon later 6 user:fjoe", .unknown("withdrawn", about: "user:f")),
                ("suspended 5000 2000 6 user:f", .unknown("suspended", about: "user:f", changedAt: 5000, until: 2000)),
            ]
            for (offset, one) in foreign.enumerated() {
                let number = "\(place + 1 + Int64(offset))"
                _ = try server.ask("ZADD", "{portcullis:}denied", number, "\(number) \(one.entry)")
            }
            let last = place + Int64(foreign.count) + Int64(notices.count) + 1
            for (offset, one) in notices.enumerated() {
                let number = "\(place + 1 + Int64(foreign.count + offset))"
                _ = try server.ask("ZADD", "{portcullis:}denied", number, "\(number) \(one.entry)")
            }
            _ = try server.ask("ZADD", "{portcullis:}denied", "\(last)", "without a place")
            let expected =
                foreign.enumerated().map { offset, one in
                    DenyChange(sequence: place + 1 + Int64(offset), entry: .unknown(one.kind))
                }
                + notices.enumerated().map { offset, one in
                    DenyChange(sequence: place + 1 + Int64(foreign.count + offset), entry: one.read)
                } + [DenyChange(sequence: last - 1, entry: .unknown("a"))]
            #expect(
                try await store.ask(.changes(after: 0, limit: 99)) == .changes(first + expected, latest: place))
            #expect(store.state == .ok)
        }
    }

    // MARK: Refusals

    @Test func anUnknownScriptIsSentAgain() async throws {
        try await withServer { server, store in
            for _ in 0..<3 {
                #expect(try await store.ask(.remember(key: "\(server.ask("DBSIZE"))", until: 2000)) == .fresh(true))
                _ = try server.ask("SCRIPT", "FLUSH")
            }
            #expect(store.state == .ok)
        }
    }

    @Test func aFullServerTakesNoRecordsButRevocations() async throws {
        try await withServer { server, store in
            let living = record("a", slot: "s")
            _ = try await store.ask(.claim(living))
            _ = try server.ask("CONFIG", "SET", "maxmemory", "1")
            await #expect(throws: StoreFailure.full) { try await store.ask(.claim(record("b", slot: "t"))) }
            await #expect(throws: StoreFailure.full) { try await store.ask(.remember(key: "k", until: 2000)) }
            #expect(try await store.ask(.find(.id("b"))) == .record(nil))
            #expect(store.state == .ok)
            _ = try await store.ask(.deny(.subject("ann", issuedBefore: 1000, until: 2000)))
            #expect(try await store.ask(.revoke(.id("a"))) == .removed([living]))
            #expect(try await store.denied().count == 2)
            _ = try server.ask("CONFIG", "SET", "maxmemory", "0")
            #expect(try await store.ask(.claim(record("b", slot: "t"))) == .record(record("b", slot: "t")))
        }
    }

    @Test func aReplicaAnswersAndTakesNothing() async throws {
        let main = try RedisProcess(onPort: true)
        let copy = try RedisProcess([["replicaof", "127.0.0.1", String(main.port)]])
        let kept = record("a")
        _ = try await store(in: main).ask(.insert(kept))
        let deadline = ContinuousClock.now + .seconds(20)
        while try copy.ask("DBSIZE") == "0", ContinuousClock.now < deadline {}
        let store = store(in: copy)
        #expect(try await store.ask(.find(.id("a"))) == .record(kept))
        await #expect(throws: StoreFailure.unavailable) { try await store.ask(.revoke(.id("a")), now: 1500) }
        #expect(store.state == .unavailable(since: 1500))
        _ = try copy.ask("REPLICAOF", "NO", "ONE")
        #expect(try await store.ask(.revoke(.id("a"))) == .removed([kept]))
        #expect(store.state == .ok)
    }

    @Test func aServerThatAsksForAPasswordIsNotAvailable() async throws {
        try await withServer([["requirepass", "secret"]]) { _, store in
            await #expect(throws: StoreFailure.unavailable) { try await store.ask(.find(.id("a")), now: 7) }
            await #expect(throws: StoreFailure.unavailable) { try await store.ask(.find(.id("a")), now: 8) }
            #expect(store.state == .unavailable(since: 7))
        }
    }

    @Test func othersKeysAreNotOurs() async throws {
        try await withServer { server, store in
            _ = try server.ask("SET", "{portcullis:}record:a", "something")
            await #expect(throws: StoreFailure.malformed) { try await store.ask(.find(.id("a"))) }
            _ = try server.ask("DEL", "{portcullis:}record:a")
            _ = try server.ask("HSET", "{portcullis:}record:a", "id", "a", "kind", "odd")
            await #expect(throws: StoreFailure.malformed) { try await store.ask(.find(.id("a"))) }
        }
    }

    @Test(
        arguments: [
            ("1700000000", "250000", 1_700_000_000_250), ("0", "0", 0), ("-1", "0", nil), ("1", "-1", nil),
            ("-9223372036854776", "0", nil), ("-9223372036854775808", "0", nil), ("9223372036854775807", "0", nil),
            ("1", "1000000", nil), ("1", "9223372036854775807", nil), ("x", "0", nil), ("", "", nil),
        ] as [(String, String, Int64?)])
    func timesThatNoClockShowsAreNone(_ seconds: String, _ microseconds: String, _ expected: Int64?) throws {
        let value = RESPValue.array([
            .bytes("changes"), .bytes("1"), .array([]), .bytes(Array(seconds.utf8)), .bytes(Array(microseconds.utf8)),
        ])
        let reply = try RedisReply.read(value).get()
        #expect(reply.serverTime == expected)
    }

    /// A server that answers what no script does.
    @Test(arguments: [
        RESPValue.null, .status("OK"), .integer(1), .array([]), .array([.integer(1)]), .array([.bytes("odd")]),
        .array([.bytes("record")]), .array([.bytes("record"), .array([.bytes("a")])]),
        .array([.bytes("record"), .array(Array(repeating: .bytes("x"), count: 16))]),
        .array([.bytes("record"), .array(Array(repeating: .integer(1), count: 16))]),
        .array([.bytes("changes"), .bytes("1"), .array([.integer(1)])]),
        .array([.bytes("changes"), .bytes("x"), .array([])]), .array([.bytes("removed"), .bytes("x")]),
        .array([.bytes("denied"), .bytes("")]), .array([.bytes("reused"), .bytes([0xff])]),
    ])
    func answersThatMakeNoSenseAreNone(_ value: RESPValue) {
        #expect(RedisReply.read(value).map(\.answer) == .failure(.malformed))
    }
}

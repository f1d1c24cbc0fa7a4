import Crypto
import JOSE
import Model
import Outbound
import Synchronization
import Testing

@testable import Identity

/// The driver: one fetch for all who wait, answers for each of them, counters and events.
@Suite struct RemoteKeySetTests {
    private let caller = ScriptedCaller()
    private let clock = TestClock()
    private let epoch = KeyEpoch()
    private let events = Events()

    private final class Events: Sendable {
        let all = Mutex<[String]>([])
        func note(_ event: RemoteKeySet.Event) {
            let text =
                switch event {
                case .fetched(let keys, let change): "fetched \(keys.keys.count) \(change.losesKeys) \(change.isNews)"
                case .failed(let failure, let hasKeys): "failed \(failure.code) \(hasKeys)"
                }
            all.withLock { $0.append(text) }
        }
    }

    /// Answers that waiters got, in order.
    private final class Answers: Sendable {
        private let all = Mutex<[KeyAvailability]>([])
        var list: [KeyAvailability] { all.withLock { $0 } }
        var note: @Sendable (KeyAvailability) -> Void { { answer in self.all.withLock { $0.append(answer) } } }
    }

    private func keys(_ settings: RemoteKeySettings? = nil) throws -> RemoteKeySet {
        let (clock, events) = (clock, events)
        return try RemoteKeySet(
            settings ?? KeyFixture.settings(), caller: caller, epoch: epoch, clock: { clock.now },
            observe: { events.note($0) })
    }

    @Test("concurrent first requests cause one fetch")
    func manyFirstRequestsMakeOneFetch() throws {
        let keys = try keys(KeyFixture.settings(discovery: "https://idp.example/d", keys: nil))
        let answers = Answers()
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).isFetch)
        for _ in 0..<50 { keys.fetch(for: KeyFixture.need("a"), then: answers.note) }
        #expect(caller.calls == 1 && answers.list.isEmpty)
        caller.answer(Array(#"{"issuer":"https://idp.example","jwks_uri":"https://idp.example/k"}"#.utf8))
        #expect(caller.calls == 2 && answers.list.isEmpty)
        caller.answer(KeyFixture.jwks("a"))
        #expect(answers.list.count == 50 && answers.list.allSatisfy { $0.names == ["a"] })
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["a"])
        #expect(caller.calls == 2)
    }

    @Test("JWT-33: many unknown key ids cause one fetch per interval, and do not wait for it")
    func manyUnknownNamesMakeOneFetch() throws {
        let keys = try keys()
        keys.refreshIfDue()
        caller.answer(KeyFixture.jwks("a"))
        #expect(caller.calls == 1)
        clock.pass(60)
        let answers = Answers()
        for i in 0..<1000 {
            if i % 100 == 99 { clock.pass(1) }
            let need = KeyFixture.need("random-\(i)")
            if keys.keys(for: need, now: clock.now).isFetch { keys.fetch(for: need, then: answers.note) }
            if i == 20 { caller.answer(KeyFixture.jwks("a")) }
        }
        #expect(caller.calls == 2)
        #expect(answers.list.count == 21 && answers.list.allSatisfy { $0.names == ["a"] })
    }

    @Test("a refresh fetches at once, joins a fetch in progress, and reports what came")
    func refreshes() throws {
        let keys = try keys()
        let reports = Mutex<[String]>([])
        let note: @Sendable (RemoteKeySet.Refreshed) -> Void = { refreshed in
            let text =
                switch refreshed {
                case .success(let (keys, isNews)): "\(keys) \(isNews)"
                case .failure(let failure): failure.code
                }
            reports.withLock { $0.append(text) }
        }
        keys.refreshIfDue()
        keys.refresh(then: note)
        #expect(caller.calls == 1)
        caller.answer(KeyFixture.jwks("a"))
        keys.refresh(then: note)
        keys.refresh(then: note)
        #expect(caller.calls == 2)
        caller.answer(KeyFixture.jwks("a"))
        keys.refresh(then: note)
        caller.answer([], status: 500)
        #expect(reports.withLock { $0 } == ["1 true", "1 false", "1 false", "keys_status"])
        // It counts as the fetch of its interval.
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["a"])
        #expect(keys.keys(for: KeyFixture.need("z"), now: clock.now).isUnavailable)
    }

    @Test("a request that decides to fetch as another fetch ends does not fetch again")
    func fetchesAreDecidedAnew() throws {
        let keys = try keys()
        let answers = Answers()
        keys.fetch(for: KeyFixture.need("a"), then: answers.note)
        caller.answer(KeyFixture.jwks("a"))
        keys.fetch(for: KeyFixture.need("a"), then: answers.note)
        keys.fetch(for: KeyFixture.need("z"), then: answers.note)
        #expect(caller.calls == 1)
        #expect(answers.list.map(\.names) == [["a"], ["a"], ["a"]])
    }

    @Test("JWT-35: an outage is reported as unavailable from the first request on")
    func outagesAreNotAuthenticationFailures() throws {
        let keys = try keys()
        let answers = Answers()
        keys.fetch(for: KeyFixture.need("a"), then: answers.note)
        caller.answer(.failed(.timeout))
        #expect(answers.list.count == 1 && answers.list[0].isUnavailable)
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).isUnavailable)
        keys.fetch(for: KeyFixture.need("a"), then: answers.note)
        #expect(answers.list.count == 2 && answers.list[1].isUnavailable)
        #expect(caller.calls == 1)
        clock.pass(1)
        keys.refreshIfDue()
        keys.refreshIfDue()
        #expect(caller.calls == 2)
        caller.answer(KeyFixture.jwks("a"))
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["a"])
        #expect(events.all.withLock { $0 } == ["failed keys_timeout false", "fetched 1 false true"])
    }

    @Test("a key rotation is followed immediately")
    func rotationIsFollowedAtOnce() throws {
        let keys = try keys()
        keys.refreshIfDue()
        caller.answer(KeyFixture.jwks("a"))
        clock.pass(60)
        let answers = Answers()
        keys.fetch(for: KeyFixture.need("b"), then: answers.note)
        // In the meantime the old key serves.
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["a"])
        caller.answer(KeyFixture.jwks("b", "a"))
        #expect(answers.list[0].names == ["b", "a"])
        #expect(epoch.current == 0)
        clock.pass(60)
        keys.fetch(for: KeyFixture.need("c"), then: answers.note)
        caller.answer(KeyFixture.jwks("b", "c"))
        #expect(answers.list[1].names == ["b", "c"])
        #expect(epoch.current == 1)
        #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["b", "c"])
    }

    @Test("an invalid answer keeps the existing keys")
    func invalidAnswersReplaceNothing() throws {
        let keys = try keys()
        keys.refreshIfDue()
        caller.answer(KeyFixture.jwks("a"), [("Cache-Control", "max-age=60")])
        for body in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#] {
            clock.pass(60)
            keys.refreshIfDue()
            caller.answer(Array(body.utf8))
            #expect(keys.keys(for: KeyFixture.need("a"), now: clock.now).names == ["a"])
        }
        let report = keys.report
        #expect(report.keyCount == 1 && report.ageSeconds == 240 && report.isStale)
        #expect(report.succeeded == 1 && report.failed == ["keys_content": 4])
        #expect(report.failure?.code == "keys_content")
        #expect(epoch.current == 0)
        #expect(events.all.withLock { $0.last } == "failed keys_content true")
    }

    @Test("concurrent use from many threads answers every waiter with one fetch at a time")
    func threadsShareIt() async throws {
        let keys = try keys()
        let (caller, clock) = (caller, clock)
        let answers = Answers()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for i in 0..<200 {
                        keys.fetch(for: KeyFixture.need("k\(task)-\(i)"), then: answers.note)
                        if i % 10 == task { caller.answer(KeyFixture.jwks("a")) }
                        if i % 20 == task { clock.pass(61) }
                    }
                }
            }
        }
        while caller.isWaiting { caller.answer(KeyFixture.jwks("a")) }
        #expect(answers.list.count == 1600)
        let report = keys.report
        #expect(Int(report.succeeded) == caller.calls)
    }
}

extension ScriptedCaller {
    @discardableResult fileprivate func answer(
        _ body: [UInt8], _ headers: [(name: String, value: String)]
    ) -> OutboundCall? { answer(body, status: 200, headers) }
}

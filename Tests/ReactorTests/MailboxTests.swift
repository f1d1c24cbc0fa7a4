import TestSupport
import Testing

@testable import Reactor

@Suite struct MailboxTests {
    /// Waits with a poller of its own until the mailbox has said everything that is expected.
    private static func collect<Message>(_ mailbox: Mailbox<Message>, count: Int) throws -> [Message] {
        let poller = try Poller(waker: mailbox.waker, chunkSize: 1024, engine: .underTest)
        var taken: [Message] = []
        while taken.count < count {
            poller.wait()
            while let completion = poller.next() {
                if case .woken = completion { taken += mailbox.takeAll() }
            }
        }
        return taken
    }

    @Test func messagesComeInTheirOrder() throws {
        let mailbox = try Mailbox<Int>()
        for number in 0..<100 { mailbox.post(number) }
        #expect(try Self.collect(mailbox, count: 100) == Array(0..<100))
        #expect(mailbox.takeAll().isEmpty)
    }

    /// No message is left behind without a wake-up, at any moment of posting: this test hangs where one is.
    @Test(.timeLimit(.minutes(2))) func noWakeUpIsLostBetweenThreads() throws {
        let mailbox = try Mailbox<(sender: Int, number: Int)>()
        let perSender = 5_000
        let threads = (0..<4).map { sender in
            WorkerThread(name: "sender-\(sender)") {
                for number in 0..<perSender { mailbox.post((sender, number)) }
            }
        }
        let taken = try Self.collect(mailbox, count: 4 * perSender)
        for thread in threads { thread.join() }
        for sender in 0..<4 {
            #expect(taken.filter { $0.sender == sender }.map(\.number) == Array(0..<perSender))
        }
    }

    /// Each message is answered before the next is posted, so that every one of them needs a wake-up of its own.
    @Test(.timeLimit(.minutes(2))) func twoLoopsTalkToEachOther() throws {
        let there = try Mailbox<Int>()
        let back = try Mailbox<Int>()
        let rounds = 2_000
        let thread = WorkerThread(name: "echo") {
            guard let poller = try? Poller(waker: there.waker, chunkSize: 1024, engine: .underTest) else { return }
            var answered = 0
            while answered < rounds {
                poller.wait()
                while let completion = poller.next() {
                    guard case .woken = completion else { continue }
                    for number in there.takeAll() {
                        answered += 1
                        back.post(number)
                    }
                }
            }
        }
        let poller = try Poller(waker: back.waker, chunkSize: 1024, engine: .underTest)
        var expected = 0
        there.post(0)
        while expected < rounds {
            poller.wait()
            while let completion = poller.next() {
                guard case .woken = completion else { continue }
                for number in back.takeAll() {
                    #expect(number == expected)
                    expected += 1
                    if expected < rounds { there.post(expected) }
                }
            }
        }
        thread.join()
    }

    @Test func manyWakesAreOneEvent() throws {
        let waker = try Waker()
        let poller = try Poller(waker: waker, chunkSize: 1024, engine: .underTest)
        for _ in 0..<1_000 { waker.wake() }
        var woken = 0
        poller.wait()
        while let completion = poller.next() {
            if case .woken = completion { woken += 1 }
        }
        poller.schedule(TimerToken(role: 1, owner: 0, generation: 0), at: poller.now)
        poller.wait()
        while let completion = poller.next() {
            if case .woken = completion { woken += 1 }
        }
        #expect(woken == 1)
    }
}

import Bytes
import Crypto
import Foundation
import Reactor
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A worker's connection to a real server. One test at a time: their loops spin in threads of Dispatch, of which it has
/// one for each processor, and names are looked up in another.
@Suite(.serialized) struct WorkerRedisTests {
    private func text(_ value: String) -> RESPValue { .bytes(Array(value.utf8)) }
    private let ok = RESPValue.status(Array("OK".utf8))

    @Test func commandsGoOverOneConnection() throws {
        let server = try RedisProcess()
        let bench = try WorkerBench.redis(server)
        bench.settle()
        #expect(try server.ask("CLIENT", "LIST").split(separator: "\n").count == 1)
        let answers = Answers()
        for number in 0..<500 { bench.send(["ECHO", "\(number)"], to: answers) }
        bench.turn(until: { answers.count == 500 })
        #expect(answers.list == (0..<500).map { .success(text("\($0)")) })
        #expect(try server.ask("CLIENT", "LIST").split(separator: "\n").count == 2)
        bench.expectNothingLeft()
    }

    @Test func longCommandsAndRepliesPass() throws {
        let server = try RedisProcess()
        let bench = try WorkerBench.redis(server) { $0.timeout = 5000 }
        let long = String(repeating: "x", count: 3_000_000)
        #expect(bench.ask(["SET", "k", long]) == .success(ok))
        let isWhole = bench.ask(["GET", "k"]) == .success(text(long))
        #expect(isWhole)
        bench.expectNothingLeft()
    }

    @Test func aNamedUserAndADatabase() throws {
        let server = try RedisProcess([
            ["requirepass", "secret"], ["user", "portcullis", "on", ">pass word", "~*", "+@all"],
        ])
        let named = try WorkerBench.redis(server) {
            ($0.username, $0.password, $0.database) = ("portcullis", "pass word", 3)
        }
        #expect(named.ask(["SET", "k", "v"]) == .success(ok))
        #expect(named.ask(["ACL", "WHOAMI"]) == .success(text("portcullis")))
        let alone = try WorkerBench.redis(server) { ($0.password, $0.database) = ("secret", 3) }
        #expect(alone.ask(["GET", "k"]) == .success(text("v")))
        #expect(alone.ask(["ACL", "WHOAMI"]) == .success(text("default")))
    }

    @Test(arguments: [nil, "wrong"])
    func withoutTheRightPasswordNothingIsAnswered(_ password: String?) throws {
        let server = try RedisProcess([["requirepass", "secret"]])
        let bench = try WorkerBench.redis(server) { $0.password = password }
        #expect(bench.ask(["GET", "k"]) == .failure(.unavailable))
        #expect((bench.worker.store as? RedisClient)?.link.session.isReady == false)
        // Put right at the server, it works without a new start.
        _ = try server.ask("-a", "secret", "CONFIG", "SET", "requirepass", password ?? "")
        #expect(bench.askUntilAnswered(["SET", "k", "v"]) == ok)
    }

    // MARK: Trouble

    @Test func aFrozenServerHoldsNobodyUp() throws {
        let server = try RedisProcess()
        let bench = try WorkerBench.redis(server)
        #expect(bench.ask(["SET", "k", "v"]) == .success(ok))
        server.freeze()
        let began = Clock.monotonicMilliseconds
        let answers = bench.send(["INCR", "n"])
        // Requests go on in the meantime.
        let client = bench.client()
        let upstream = try bench.requested(client, .get())
        upstream.send(.ok("fine"))
        #expect(bench.expect(client, ends: "fine").hasPrefix("HTTP/1.1 200"))
        #expect(answers.count == 0)
        bench.turn(until: { answers.count == 1 })
        #expect(answers.list == [.failure(.timedOut)])
        #expect((300..<2000).contains(Clock.monotonicMilliseconds - began))
        // A connection is made, by the kernel, and leads nowhere; no call waits for the third.
        #expect(bench.ask(["INCR", "n"]) == .failure(.unavailable))
        bench.turn(until: { bench.ask(["INCR", "n"]) == .failure(.unavailable) })
        server.thaw()
        #expect(bench.askUntilAnswered(["GET", "k"]) == text("v"))
        // The one under way was done after all, once; none was sent again.
        #expect(bench.ask(["GET", "n"]) == .success(text("1")))
    }

    /// Every command has one answer; what was answered was done, and what was not was done once at the most.
    @Test func restartsLoseNoAcknowledgedCommand() throws {
        let server = try RedisProcess([["appendonly", "yes"], ["appendfsync", "always"]])
        let bench = try WorkerBench.redis(server) { $0.timeout = 1000 }
        let answers = Answers()
        var sent = 0
        func load(until condition: () -> Bool) {
            bench.turn(until: {
                while sent - answers.count < 20 {
                    bench.send(["RPUSH", "all", "\(sent)"], to: answers)
                    sent += 1
                }
                return condition()
            })
        }
        func successes() -> Int { answers.list.count { if case .success = $0 { true } else { false } } }
        for _ in 0..<5 {
            let before = successes()
            load { successes() > before + 200 }
            server.crash()
            let failed = answers.count - successes()
            load { answers.count - successes() > failed }
            try server.restart()
        }
        let before = successes()
        load { successes() > before + 200 }
        bench.turn(until: { answers.count == sent })
        let kept = try server.ask("LRANGE", "all", "0", "-1").split(separator: "\n")
        #expect(Set(kept).count == kept.count, "a command was done twice")
        #expect(kept.count >= successes(), "\(kept.count) of \(successes()) acknowledged commands are left")
        #expect(kept.count <= sent)
    }

    @Test func aServerThatIsNotThereIsFoundWhenItComes() throws {
        let server = try RedisProcess(onPort: true)
        let bench = try WorkerBench.redis(.name(host: "localhost", port: server.port))
        server.crash()
        #expect(bench.ask(["GET", "k"]) == .failure(.unavailable))
        try server.restart()
        #expect(bench.askUntilAnswered(["SET", "k", "v"]) == ok)
    }

    @Test func aNameThatNobodyHas() throws {
        let bench = try WorkerBench.redis(.name(host: "nobody.invalid", port: 1))
        #expect(bench.ask(["GET", "k"]) == .failure(.unavailable))
    }

    /// The pool may be full of password checks: the server is looked for where it was.
    @Test func aFullPoolIsNoReasonToStayAway() throws {
        let server = try RedisProcess(onPort: true)
        let bench = try WorkerBench.redis(.name(host: "localhost", port: server.port))
        #expect(bench.askUntilAnswered(["SET", "k", "v"]) == ok)
        let gate = bench.occupyPool()
        defer { gate.open() }
        while bench.shared.blocking.submit({}) {}
        try server.restart()
        #expect(bench.askUntilAnswered(["SET", "k", "v"]) == ok)
    }

    // MARK: TLS

    private func tls(_ certificate: String, name: String? = nil) throws -> UpstreamTLS {
        var settings = TLSClientSettings()
        settings.trust = .authorities(Array(try Data(contentsOf: URL(fileURLWithPath: certificate))))
        return UpstreamTLS(try TLSClientContext(settings), serverName: name)
    }

    @Test func tlsIsVerified() throws {
        let server = try RedisProcess(isSecure: true)
        let stranger = try RedisProcess(isSecure: true)
        let target = ServerSettings.Target.name(host: "localhost", port: server.port)
        let long = String(repeating: "x", count: 300_000)
        let good = try WorkerBench.redis(target, tls: try tls(server.certificatePath)) { $0.timeout = 5000 }
        #expect(good.ask(["SET", "k", long]) == .success(ok))
        let isWhole = good.ask(["GET", "k"]) == .success(text(long))
        #expect(isWhole)
        good.expectNothingLeft()
        for wrong in [
            try tls(stranger.certificatePath), try tls(server.certificatePath, name: "redis.example.com"),
            UpstreamTLS(try TLSClientContext(TLSClientSettings())),
        ] {
            let bench = try WorkerBench.redis(target, tls: wrong) { $0.timeout = 5000 }
            #expect(bench.ask(["GET", "k"]) == .failure(.unavailable))
        }
        // In clear to a port of TLS.
        #expect(try WorkerBench.redis(target).ask(["GET", "k"]) == .failure(.unavailable))
        // Over TLS, restarted.
        try server.restart()
        let isEmpty = good.askUntilAnswered(["GET", "k"]) == .null
        #expect(isEmpty)
    }
}

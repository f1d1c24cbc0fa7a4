import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Model
import Policy
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Issue B: a tunnel lasts no longer than what it was let in with.
@Suite struct WorkerTunnelLifeTests {
    // MARK: Time

    @Test func aSilentTunnelEnds() throws {
        let bench = try WorkerBench {
            $0.limits.tunnelIdleTimeout = 1000
            $0.upstream = { $0.settings.responseTimeout = 400 }
        }
        let (client, server) = try WorkerTunnelTests.open(bench)
        // Bytes of either side keep it.
        for _ in 0..<3 {
            bench.pass(milliseconds: 250)
            client.send("u")
            bench.pass(milliseconds: 250)
            server.send([0x81, 1, 100])
            bench.settle()
        }
        #expect(!client.isOver)
        client.forget()
        bench.turn(until: { client.isOver && server.isOver })
        // The last word of a WebSocket: going away.
        #expect(client.received.prefix(4) == [0x88, 13, 0x03, 0xE9])
        #expect(String(decoding: client.received.dropFirst(4), as: UTF8.self) == "tunnel_idle")
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }

    private static func principal(expiresAt: Int64?, tokenID: String = "t1") -> Principal {
        Principal(
            kind: .user, method: .bearer, subject: "joe", issuer: "own", backendID: nil, roles: RoleSet(),
            catalogue: RoleCatalogue([]), level: 1, expiresAt: expiresAt, issuedAt: 10, tokenID: tokenID)
    }

    /// At the end of a frame the client gets the reason; within one the connection just ends.
    @Test(arguments: [true, false]) func aTunnelEndsWithItsToken(_ isWithinFrame: Bool) throws {
        let bench = try WorkerBench()
        let end = Clock.wallSeconds + 2
        let (client, server) = try WorkerTunnelTests.open(bench, as: Self.principal(expiresAt: end))
        server.send(isWithinFrame ? [0x82, 5, 1, 2] : [0x82, 2, 1, 2])
        bench.turn(until: { client.text.utf8.count >= 4 })
        #expect(!client.isOver)
        bench.turn(until: { client.isOver })
        #expect((end...end + 1).contains(Clock.wallSeconds))
        bench.turn(until: { server.isOver })
        if isWithinFrame {
            #expect(client.received == [0x82, 5, 1, 2])
        } else {
            #expect(client.received == [0x82, 2, 1, 2, 0x88, 16, 0x03, 0xF0] + Array("tunnel_expired".utf8))
        }
        #expect(bench.worker.counters.reasons[.tunnelExpired] == 1)
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }

    /// Dates of a far future are dates too.
    @Test func theLastDateOfAllIsNoDate() throws {
        let bench = try WorkerBench()
        let (client, server) = try WorkerTunnelTests.open(bench, as: Self.principal(expiresAt: .max))
        bench.pass(milliseconds: 1200)
        #expect(!client.isOver)
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }

    @Test func aRevokedTokenEndsItsTunnelsAndNoOther() throws {
        let bench = try WorkerBench()
        let (client, server) = try WorkerTunnelTests.open(bench, as: Self.principal(expiresAt: nil))
        let (other, peer) = try WorkerTunnelTests.open(bench, as: Self.principal(expiresAt: nil, tokenID: "t2"))
        bench.pass(milliseconds: 1100)
        #expect(!client.isOver && !other.isOver)
        bench.shared.revocations.revoke(tokenID: "t1", until: Clock.wallSeconds + 100)
        let began = Clock.monotonicMilliseconds
        bench.turn(until: { client.isOver })
        #expect(Clock.monotonicMilliseconds - began < 1500)
        #expect(!other.isOver)
        #expect(bench.worker.counters.reasons[.tunnelRevoked] == 1)
        WorkerTunnelTests.expectNothingLeft(bench, peer, server)
    }

    /// It was revoked between the decision and the upstream's answer.
    @Test func aTokenRevokedDuringTheHandshakeIsNoticed() throws {
        let bench = try WorkerBench()
        bench.pass(milliseconds: 1100)
        bench.shared.revocations.revoke(tokenID: "t1", until: Clock.wallSeconds + 100)
        bench.pass(milliseconds: 1100)
        let (client, server) = try WorkerTunnelTests.open(bench, as: Self.principal(expiresAt: nil))
        bench.turn(until: { client.isOver })
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }

    // MARK: Another configuration

    private static func use(_ bench: WorkerBench, _ snapshot: GatewaySnapshot) {
        bench.shared.use(snapshot)
        bench.turn(until: { bench.worker.snapshot === snapshot && !bench.worker.exchanges.longLived.isReadmitting })
    }

    @Test func aReloadKeepsTunnelsThatWouldBeLetIn() throws {
        let bench = try WorkerBench()
        let (client, server) = try WorkerTunnelTests.open(bench)
        let (mine, peer) = try WorkerTunnelTests.open(bench, "/mine/ws", WorkerBench.credentials)
        weak let earlier = bench.worker.snapshot
        Self.use(bench, try bench.snapshot { $0.limits.idleTimeout = 5 })
        #expect(!mine.isOver)
        client.send("still")
        bench.turn(until: { server.text == "still" })
        // They go on under the new one, so that the old is not kept for as long as they last.
        #expect(earlier == nil)
        WorkerTunnelTests.expectNothingLeft(bench, peer, server)
    }

    @Test func aReloadEndsTunnelsThatWouldNot() throws {
        let bench = try WorkerBench()
        let (open, server) = try WorkerTunnelTests.open(bench)
        let (mine, peer) = try WorkerTunnelTests.open(bench, "/mine/ws", WorkerBench.credentials)
        let roles = try bench.snapshot(generation: 2) { $0.routes[1].access.roles = RoleNames(all: ["Clerk"]) }
        Self.use(bench, roles)
        #expect(!open.isOver && !mine.isOver)
        Self.use(bench, try bench.snapshot(generation: 3) { $0.routes[1].access.level = 9 })
        bench.turn(until: { mine.isOver })
        #expect(!open.isOver)
        Self.use(bench, try bench.snapshot(generation: 4) { $0.routes.removeFirst() })
        bench.turn(until: { open.isOver })
        #expect(bench.worker.counters.reasons[.tunnelRefused] == 2)
        WorkerTunnelTests.expectNothingLeft(bench, peer, server)
    }

    @Test func aReloadDuringTheHandshakeIsNoticed() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get("/open/ws", WorkerTunnelTests.asking))
        Self.use(bench, try bench.snapshot { $0.routes.removeFirst() })
        server.send(WorkerTunnelTests.agreeing)
        bench.turn(until: { client.isOver })
        #expect(bench.worker.counters.reasons[.tunnelRefused] == 1)
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }

    @Test func aDrainCutsTunnelsAtItsDeadline() throws {
        let bench = try WorkerBench { $0.limits.drainTimeout = 300 }
        let (client, server) = try WorkerTunnelTests.open(bench)
        bench.shared.drain()
        bench.turn(until: { bench.worker.isDraining })
        client.send("on")
        bench.turn(until: { server.text == "on" })
        #expect(!bench.worker.shutdown.isFinished)
        bench.turn(until: { bench.worker.shutdown.isFinished })
        bench.turn(until: { client.isOver })
        #expect(client.received.prefix(4) == [0x88, 16, 0x03, 0xE9])
    }

    /// A frame that is under way at the deadline is passed on whole, and the close frame behind it.
    @Test(arguments: [true, false]) func aDrainWaitsForTheEndOfAFrame(comes: Bool) throws {
        let bench = try WorkerBench { $0.limits.drainTimeout = 60 }
        let (client, server) = try WorkerTunnelTests.open(bench)
        server.send([0x81, 5, 0x68, 0x65])
        bench.turn(until: {
            client.receive()
            return client.received.count == 4
        })
        bench.shared.drain()
        bench.turn(until: { bench.worker.shutdown.looksAfterDrain == 1 })
        #expect(!bench.worker.shutdown.isFinished)
        if comes { server.send([0x6C, 0x6C, 0x6F]) }
        bench.turn(until: { bench.worker.shutdown.isFinished })
        bench.turn(until: { client.isOver })
        let frame: [UInt8] = [0x81, 5, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x88, 16, 0x03, 0xE9]
        #expect(client.received.prefix(11) == (comes ? frame[...] : frame.prefix(4)))
        #expect((bench.worker.shutdown.looksAfterDrain == 21) == !comes)
    }

    // MARK: Other keys

    /// The keys that an issuer publishes at the moment.
    private final class Published: KeySource {
        let epoch = KeyEpoch()
        private let current: Mutex<KeySet>

        init(_ keys: [JWTSigner]) { current = Mutex(KeySet(keys: keys.map(\.publishedKey))) }

        /// As `RemoteKeySet` does: the keys first.
        func keep(_ keys: [JWTSigner]) {
            current.withLock { $0 = KeySet(keys: keys.map(\.publishedKey)) }
            epoch.advance()
        }

        func keys(for need: KeyNeed, now: Int64) -> KeyAvailability { keysAtHand(for: need, now: now) }
        func keysAtHand(for need: KeyNeed, now: Int64) -> KeyAvailability { .ready(current.withLock { $0 }) }
        func fetch(for need: KeyNeed, then: @escaping @Sendable (KeyAvailability) -> Void) { then(.unavailable) }
    }

    private static let keys = ["a", "b"].map { JWTSigner(key: SigningKey.generate(.es256), keyID: $0) }

    private static func bearer(_ signer: JWTSigner) -> String {
        let claims = #"{"iss":"https://idp","sub":"eve","aud":"gw","exp":\#(Clock.wallSeconds + 600)}"#
        let token = signer.sign(claims: Array(claims.utf8))
        return "Authorization: Bearer \(String(decoding: token, as: UTF8.self))\r\n"
    }

    private static func bench(_ published: Published) throws -> WorkerBench {
        try WorkerBench {
            $0.policy = {
                $0.keyEpoch = published.epoch
                let rules = ExternalIdentityRules(virtualUserEnabled: true, roleMapping: RoleMapping())
                $0.issuers = [
                    IssuerSettings(
                        trust: TrustedIssuer(
                            name: "idp", issuer: "https://idp", audiences: ["gw"], keys: .published(published)),
                        claims: .outside(rules, level: 2, backendID: nil))
                ]
            }
        }
    }

    /// A key that was stolen opens nothing any more, nor keeps open what it has opened.
    @Test func aKeyTakenBackEndsItsTunnelsAndNoOther() throws {
        let published = Published(Self.keys)
        let bench = try Self.bench(published)
        let (client, server) = try WorkerTunnelTests.open(bench, "/mine/ws", Self.bearer(Self.keys[0]))
        let (other, peer) = try WorkerTunnelTests.open(bench, "/mine/ws", Self.bearer(Self.keys[1]))
        bench.pass(milliseconds: 1100)
        #expect(!client.isOver && !other.isOver)
        published.keep([Self.keys[1]])
        let began = Clock.monotonicMilliseconds
        bench.turn(until: { client.isOver })
        #expect(Clock.monotonicMilliseconds - began < 1500)
        #expect(bench.worker.counters.reasons[.tunnelRefused] == 1)
        bench.turn(until: { !bench.worker.exchanges.longLived.isReadmitting })
        #expect(!other.isOver)
        WorkerTunnelTests.expectNothingLeft(bench, peer, server)
    }

    @Test func aKeyTakenBackDuringTheHandshakeIsNoticed() throws {
        let published = Published(Self.keys)
        let bench = try Self.bench(published)
        let client = bench.client()
        let server = try bench.requested(
            client, .get("/mine/ws", WorkerTunnelTests.asking + Self.bearer(Self.keys[0])))
        published.keep([Self.keys[1]])
        bench.pass(milliseconds: 1100)
        server.send(WorkerTunnelTests.agreeing)
        bench.turn(until: { client.isOver })
        #expect(bench.worker.counters.reasons[.tunnelRefused] == 1)
        WorkerTunnelTests.expectNothingLeft(bench, server)
    }
}

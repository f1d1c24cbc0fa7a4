import Bytes
import Foundation
import Identity
import MobileSocial
import Model
import Synchronization
import Testing

/// Vectors S01 to S23 (OMS-08 to OMS-10, OMS-22).
@Suite struct SessionVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let node: JSONNode

        var testDescription: String { node["id"]?.string ?? "?" }

        /// The integer part of a number; nil for null.
        func number(_ path: String...) -> Int64? {
            path.reduce(node as JSONNode?) { $0?[$1] }?.number.map { Int64($0) }
        }

        func flag(_ name: String) -> Bool? { node[name]?.bool }

        static func all(_ section: String) -> [Vector] {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            guard let contents = try? Data(contentsOf: root.appending(path: "Fixtures/session/session.json")),
                let file = try? JSONNode.parse(Array(contents).span)
            else { return [] }
            return (file[section]?.array ?? []).map { Vector(node: $0) }
        }
    }

    @Test("all vectors are present")
    func vectorsAreThere() {
        #expect(Vector.all("timeouts").count == 10)
        #expect(Vector.all("loginAttempts").count == 4)
        #expect(Vector.all("offline").count == 11)
    }

    @Test("timeouts are as specified", arguments: Vector.all("timeouts"))
    func timeouts(_ vector: Vector) throws {
        let limits = SessionLimits(
            session: (vector.number("session", "profile"), vector.number("session", "app")),
            idle: (vector.number("idle", "profile"), vector.number("idle", "app")))
        let valid = limits.allow(
            age: try #require(vector.number("age")), idleFor: try #require(vector.number("idleFor")))
        #expect(valid == vector.flag("valid"))
    }

    @Test("login attempts are as specified", arguments: Vector.all("loginAttempts"))
    func attempts(_ vector: Vector) throws {
        let maximum = ServerSetting.merge(
            server: vector.number("max", "profile"), application: vector.number("max", "app"))
        var attempts = LoginAttempts()
        for _ in 0..<(try #require(vector.number("failures"))) {
            _ = attempts.fail(maximum: maximum ?? LoginAttempts.standardMaximum, lockoutSeconds: 300, now: 1000)
        }
        #expect(attempts.isLocked(at: 1000) == vector.flag("locked"))
    }

    @Test("offline modes are as specified", arguments: Vector.all("offline"))
    func offline(_ vector: Vector) throws {
        let connectivity = try #require(vector.node["mode"]?.string.flatMap { Connectivity(rawValue: $0.lowercased()) })
        let isCached = vector.flag("cached") == true
        let source = PasswordSource(
            connectivity, isAllowed: vector.flag("allowed"),
            isCached ? .kept(failures: vector.number("failures") ?? 0) : .none, maximum: vector.number("max") ?? 1)
        let isReachable = vector.flag("serverReachable") == true
        let result =
            switch source {
            case .server: isReachable ? "server" : "fail"
            case .serverThenVerifier: isReachable ? "server" : "local"
            case .verifier: "local"
            case .wipeThenServer: "wipe-then-server"
            case .unavailable: "fail"
            }
        #expect(result == vector.node["result"]?.string)
    }

    @Test("OMS-10: concurrent checks are limited to the allowed failures, and equal passwords count once")
    func reserves() {
        let table = LoginAttemptTable()
        let key = LoginAttemptTable.Key(domain: "d", application: "a", user: "joe")
        func begin(_ guess: UInt8, at now: Int64 = 100) -> LoginAttemptTable.Verdict {
            table.begin(key, guess: [guess], maximum: 2, now: now)
        }
        #expect(begin(1) == .admitted && begin(2) == .admitted && begin(3) == .busy)
        for _ in 0..<50 { #expect(begin(1) == .admitted) }
        #expect(table.fail(key, guess: [1], maximum: 2, lockoutSeconds: 10, now: 100) == 1)
        #expect(begin(3) == .busy, "others still look at the first")
        table.end(key, guess: [2], isLogin: false)
        for _ in 0..<50 { table.end(key, guess: [1], isLogin: false) }
        #expect(begin(3) == .admitted && begin(4) == .busy)
        table.end(key, guess: [3], isLogin: true)
        #expect(begin(4) == .admitted && begin(5) == .admitted)
        // The clients of these have gone.
        #expect(begin(6, at: 159) == .busy && begin(6, at: 160) == .admitted)
        #expect(table.fail(key, guess: [6], maximum: 2, lockoutSeconds: 10, now: 160) == 1)
        #expect(table.fail(key, guess: [7], maximum: 2, lockoutSeconds: 10, now: 160) == 0)
        #expect(begin(8, at: 169) == .locked && begin(8, at: 170) == .admitted)
    }

    @Test("OMS-10: lockouts follow the steady clock, not the wall clock")
    func lockoutsAndSetClocks() {
        let time = Mutex<Int64>(1)
        let table = LoginAttemptTable(clock: SteadyClock { time.withLock { $0 } })
        let key = LoginAttemptTable.Key(domain: "d", application: "a", user: "joe")
        #expect(table.fail(key, guess: [1], maximum: 1, lockoutSeconds: 10, now: 5000) == 0)
        #expect(table.isLocked(key, now: 6000) && table.isLocked(key, now: 100))
        time.withLock { $0 += 10 }
        #expect(!table.isLocked(key, now: 100))
    }

    @Test("OMS-10: after a lockout, attempts start from zero")
    func lockoutEnds() {
        let table = LoginAttemptTable()
        let key = LoginAttemptTable.Key(domain: "d", application: "a", user: "joe")
        #expect(table.fail(key, maximum: 2, lockoutSeconds: 10, now: 100) == 1)
        #expect(!table.isLocked(key, now: 100))
        #expect(table.fail(key, maximum: 2, lockoutSeconds: 10, now: 100) == 0)
        #expect(table.isLocked(key, now: 109))
        #expect(!table.isLocked(key, now: 110))
        #expect(table.fail(key, maximum: 2, lockoutSeconds: 10, now: 110) == 1)
        #expect(table.forget(key) && !table.forget(key))
        let other = LoginAttemptTable.Key(domain: "d", application: "b", user: "joe")
        #expect(!table.isLocked(other, now: 100))
    }

    @Test("counting uses bounded memory, and locked users stay locked")
    func bounded() {
        let table = LoginAttemptTable(capacity: 4)
        let locked = LoginAttemptTable.Key(domain: "d", application: "a", user: "locked")
        _ = table.fail(locked, maximum: 1, lockoutSeconds: 1000, now: 100)
        for number in 0..<100 {
            let key = LoginAttemptTable.Key(domain: "d", application: "a", user: "user \(number)")
            _ = table.fail(key, maximum: 2, lockoutSeconds: 1000, now: 100)
        }
        #expect(table.isLocked(locked, now: 101))
    }
}

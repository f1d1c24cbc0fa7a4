import Foundation
import Glibc
import OAuthServer
import TokenStorage

/// A process that works on the store until it is killed. It says what it is about to do (`?`), and what was acknowledged
/// (`!`), each by one write of a line.
///
///     ? LANE NEXT      LANE    the slot of this lane is to hold the token NEXT, or none ("-")
///     ! LANE                   and does
///     ! shared SLOT TOKEN      a claim of a slot that others claim too was answered with this token
///     ! denied NAME
///     ! used KEY               a single-use key was fresh
final class Victim: Sendable {
    private let store: any TokenStore
    private let number: Int

    init(_ store: any TokenStore, number: Int) {
        self.store = store
        self.number = number
    }

    /// Lanes work at the same time, so that they share transactions; each has a slot of its own.
    func run() {
        for lane in 0..<8 { Thread.detachNewThread { [self] in attempt { try work(in: "lane-\(number)-\(lane)") } } }
        Thread.detachNewThread { [self] in attempt { try claimShared() } }
        Thread.detachNewThread { [self] in attempt { try denyAndUse() } }
        while true { pause() }
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            say("wrong \(error)")
            exit(1)
        }
    }

    private func say(_ line: String) {
        var bytes = Array((line + "\n").utf8)
        // SAFETY: the array is alive for the call. Lines are shorter than what a pipe takes at once.
        _ = unsafe write(STDOUT_FILENO, &bytes, bytes.count)
    }

    private func work(in lane: String) throws {
        var current = try store.records(application: lane).first
        while true {
            guard let old = current else {
                current = try put(.pair(slot: lane), in: lane) { .claim($0) }
                continue
            }
            switch Int.random(in: 0..<8) {
            case 0..<4:
                let digest = old.refreshDigest ?? []
                current = try put(.pair(slot: lane, family: old.id), in: lane) {
                    .rotate(refresh: digest, application: lane, proposed: $0, reuse: .detected())
                }
            case 4: current = try put(.pair(slot: lane), in: lane) { .replace($0) }
            case 5:
                let answer = try store.ask(.claim(.pair(slot: lane)))
                guard answer == .record(old) else { throw CrashFailure.unexpected(answer) }
            default:
                say("? \(lane) -")
                let answer = try store.ask(.revoke(.id(old.id)))
                guard answer == .removed([old]) else { throw CrashFailure.unexpected(answer) }
                say("! \(lane)")
                current = nil
            }
        }
    }

    private func put(
        _ next: TokenRecord, in lane: String, _ operation: (TokenRecord) -> StoreOperation
    ) throws -> TokenRecord {
        say("? \(lane) \(next.tokenID)")
        let answer = try store.ask(operation(next))
        switch answer {
        case .record(next), .rotated: say("! \(lane)")
        default: throw CrashFailure.unexpected(answer)
        }
        return next
    }

    private func claimShared() throws {
        while true {
            let slot = "shared-\(Int.random(in: 0..<1000))"
            let answer = try store.ask(.claim(.pair(slot: slot)))
            guard case .record(let given?) = answer else { throw CrashFailure.unexpected(answer) }
            say("! shared \(slot) \(given.tokenID)")
        }
    }

    private func denyAndUse() throws {
        while true {
            let name = AccessTokenMinter.randomID()
            let until = Int64(Date().timeIntervalSince1970) + 86_400
            _ = try store.ask(.deny(.token(name, until: until)))
            say("! denied \(name)")
            let answer = try store.ask(.remember(key: name, until: until))
            guard answer == .fresh(true) else { throw CrashFailure.unexpected(answer) }
            say("! used \(name)")
        }
    }
}

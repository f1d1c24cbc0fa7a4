import Bytes
import Synchronization

/// A store in a Redis or Valkey server, which several processes share. Each operation is one Lua script, and so one step.
///
/// Records that have expired go by themselves, an hour later; `clean` takes them, and what was denied, earlier. The
/// server must not throw keys away for want of memory (`maxmemory-policy noeviction`). What it has answered outlives its
/// crash where it is told `appendonly yes` and `appendfsync always`; with `everysec` it answers before it has written.
/// It outlives the loss of the server where `replicas` of them have it: without, a replica that takes over may lack
/// what was answered last.
package final class RedisTokenStore: TokenStore {
    private let channel: any RedisChannel
    /// What all keys begin with. Its hash tag keeps them together in a cluster, where a script reaches no others.
    private let base: [UInt8]
    private let current = Mutex(StoreState.ok)
    /// How many replicas must have a change before it is answered, and the command that waits for them; nil for none.
    private let wait: (replicas: Int, command: [[UInt8]])?
    private let clock: (any GroupClock)?

    /// - Parameters:
    ///   - replicas: how many of them must have a change before it is answered.
    ///   - patience: for how many milliseconds they are waited for.
    ///   - clock: what is told of the server's clock.
    package init(
        channel: any RedisChannel, keyPrefix: String, replicas: Int = 0, patience: Int64 = 500,
        clock: (any GroupClock)? = nil
    ) {
        self.channel = channel
        self.clock = clock
        wait =
            replicas > 0
            ? (replicas, ["WAIT", String(replicas), String(max(1, patience))].map { Array($0.utf8) }) : nil
        let hasTag = keyPrefix.utf8.contains(UInt8(ascii: "{"))
        base = Array((hasTag ? keyPrefix : "{\(keyPrefix)}").utf8)
    }

    package var kind: StaticString { "redis" }
    package var state: StoreState { current.withLock { $0 } }

    package func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if case .list(_, _, let limit) = operation {
            list(RedisCall(operation, now: now), now: now, limit: limit, listed: [], then)
        } else {
            run(RedisCall(operation, now: now), now: now, removed: [], then)
        }
    }

    /// Lists page by page: one answer has a bound, and while a script runs nobody else is served.
    private func list(
        _ call: RedisCall, now: Int64, limit: Int, listed: [TokenRecord],
        _ then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if limit <= 0 { return then(.success(.records([]))) }
        ask(call, now: now, orElse: then) { reply in
            guard case .records(let records) = reply.answer else { return then(.failure(.malformed)) }
            let all = listed + records
            guard !reply.place.isEmpty, all.count < limit else { return then(.success(.records(all))) }
            guard let next = call.continued(behind: reply.place, limit: limit - all.count) else {
                return then(.failure(.malformed))
            }
            self.list(next, now: now, limit: limit, listed: all, then)
        }
    }

    /// Runs the script, and again as long as there is more to be removed.
    private func run(
        _ call: RedisCall, now: Int64, removed: [TokenRecord],
        _ then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        ask(call, now: now, orElse: then) { reply in
            guard case .removed(let records) = reply.answer else { return then(.success(reply.answer)) }
            let all = removed + records
            if reply.hasMore { self.run(call, now: now, removed: all, then) } else { then(.success(.removed(all))) }
        }
    }

    /// Runs a script once, and goes on with what it has answered.
    private func ask(
        _ call: RedisCall, now: Int64, orElse fail: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void,
        _ next: @escaping @Sendable (RedisReply) -> Void
    ) {
        let sentAt = clock?.milliseconds
        send(call) { result in
            let reply = result.flatMap { RedisReply.read($0) }
            if let clock = self.clock, let sentAt, case .success(let reply) = reply, let time = reply.serverTime {
                clock.learn(time, between: sentAt, and: clock.milliseconds)
            }
            self.note(reply, now: now)
            switch reply {
            case .failure(let failure): fail(.failure(failure))
            case .success(let reply): next(reply)
            }
        }
    }

    /// A server that was started anew, or another one, does not know the script yet.
    private func send(_ call: RedisCall, _ then: @escaping @Sendable (Result<RESPValue, StoreFailure>) -> Void) {
        let base = base
        send(call.script.callByDigest(base, call.arguments), waits: call.isLasting) { [self] result in
            guard case .success(let value) = result, value.errorCode == "NOSCRIPT" else { return then(result) }
            send(call.script.callByText(base, call.arguments), waits: call.isLasting, then)
        }
    }

    /// Sends a command, and right behind it over the same connection what waits for the replicas to have it.
    private func send(
        _ command: [[UInt8]], waits: Bool, _ then: @escaping @Sendable (Result<RESPValue, StoreFailure>) -> Void
    ) {
        guard waits, let wait else { return channel.send([command]) { then($0[0]) } }
        channel.send([command, wait.command]) { replies in
            guard case .success(let value) = replies[0], value.errorCode == nil else { return then(replies[0]) }
            switch replies[1] {
            case .success(.integer(let count)) where count >= wait.replicas: then(replies[0])
            case .success(let value) where value.errorCode != nil: then(.success(value))
            case .success: then(.failure(.notReplicated))
            case .failure(let failure): then(.failure(failure))
            }
        }
    }

    private func note(_ result: Result<RedisReply, StoreFailure>, now: Int64) {
        current.withLock { state in
            switch result {
            case .success: state = .ok
            case .failure(.overloaded), .failure(.full), .failure(.notReplicated): break
            case .failure(.unavailable), .failure(.timedOut), .failure(.malformed):
                if state == .ok { state = .unavailable(since: now) }
            }
        }
    }
}

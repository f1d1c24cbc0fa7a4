import Synchronization

/// A store in a Redis or Valkey server shared by several processes. Each operation is one Lua script and therefore
/// atomic.
///
/// Expired records are removed by the server an hour later; `clean` removes them and deny entries earlier. The server
/// must not evict keys (`maxmemory-policy noeviction`). Answered changes survive a crash of the server with `appendonly
/// yes` and `appendfsync always`; with `everysec` it answers before writing. They survive loss of the server if
/// `replicas` of them have the change; otherwise a promoted replica may lack the latest changes.
package final class RedisTokenStore: TokenStore {
    private let channel: any RedisChannel
    /// Prefix of all keys. Its hash tag keeps them in one cluster slot, as scripts require.
    private let base: [UInt8]
    private let current = Mutex(StoreState.ok)
    /// Number of replicas that must have a change before it is answered, and the `WAIT` command for it; nil for none.
    private let wait: (replicas: Int, command: [[UInt8]])?
    private let clock: (any GroupClock)?

    /// - Parameters:
    ///   - replicas: number of replicas that must have a change before it is answered.
    ///   - patience: milliseconds to wait for them.
    ///   - clock: receives readings of the server's clock.
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

    /// Reads a document that gateways keep beside the records, or replaces it.
    ///
    /// - Parameters:
    ///   - change: the known text, empty for none, and the new one, which is written only in place of the known one.
    ///   - then: called with the text that is there afterwards; empty for none.
    package func document(
        _ name: String, replacing change: (known: [UInt8], text: [UInt8])? = nil,
        then: @escaping @Sendable (Result<[UInt8], StoreFailure>) -> Void
    ) {
        send(RedisCall(document: name, replacing: change)) { result in
            then(
                result.flatMap { value in
                    if case .array(let parts) = value, parts.count == 1, case .bytes(let text) = parts[0] {
                        return .success(text)
                    }
                    return RedisReply.read(value).flatMap { _ in .failure(.malformed) }
                })
        }
    }

    /// Lists page by page: replies are bounded, and a running script blocks the server.
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

    /// Runs the script, repeatedly while more remains to be removed.
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

    /// Runs a script once and passes on its reply.
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

    /// Loads the script if the server does not have it, for instance after a restart.
    private func send(_ call: RedisCall, _ then: @escaping @Sendable (Result<RESPValue, StoreFailure>) -> Void) {
        let base = base
        send(call.script.callByDigest(base, call.arguments), waits: call.isDurable) { [self] result in
            guard case .success(let value) = result, value.errorCode == "NOSCRIPT" else { return then(result) }
            send(call.script.callByText(base, call.arguments), waits: call.isDurable, then)
        }
    }

    /// Sends a command, followed on the same connection by `WAIT` for the replicas.
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

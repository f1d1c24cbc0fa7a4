import Identity
import Outbound
import Synchronization

/// Another server that knows passwords, as a test wants it.
final class StubPasswords: PasswordVerifier {
    private struct State {
        var passwords: [String: String]
        var forbidden: Set<String> = []
        var outage: PasswordOutage?
        var calls = 0
        var foldsNames = false
    }

    private let state: Mutex<State>

    init(_ passwords: [String: String] = ["joe": "Remote1", "ann": "Remote2", "zoe": "Remote3", "off": "Remote4"]) {
        state = Mutex(State(passwords: passwords))
    }

    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, PasswordOutage>> {
        let result = state.withLock { state -> Result<PasswordVerdict, PasswordOutage> in
            state.calls += 1
            if let outage = state.outage { return .failure(outage) }
            if login.username == "busy" { return .success(.throttled(retryAfter: 17)) }
            if state.forbidden.contains(login.username) { return .success(.forbidden) }
            let name = state.foldsNames ? login.username.lowercased() : login.username
            return .success(state.passwords[name] == login.password ? .right : .wrong)
        }
        return .answer(of: { $0(result) }) { .done($0) }
    }

    var calls: Int { state.withLock { $0.calls } }

    /// Nil for a server that is well.
    func fail(_ outage: PasswordOutage?) { state.withLock { $0.outage = outage } }

    func down() { fail(PasswordOutage(.unavailable, retryAfterSeconds: 7)) }

    func set(_ user: String, _ password: String) { state.withLock { $0.passwords[user] = password } }

    /// As directories do, it takes `JOE` for `joe`.
    func foldNames() { state.withLock { $0.foldsNames = true } }

    func forbid(_ user: String) { _ = state.withLock { $0.forbidden.insert(user) } }
}

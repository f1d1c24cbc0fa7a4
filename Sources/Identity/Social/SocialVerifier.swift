import Crypto
import Model
import Outbound
import Synchronization

/// Finds out from Facebook whom a token stands for (FB-03). Shared by all workers: of those who show the same token at
/// the same time one asks, and what the provider said counts for a while.
package final class SocialVerifier: Sendable {
    private typealias Waiter = @Sendable (Effect<SocialVerdict>) -> Void

    private let caller: any OutboundCaller
    private let clock: @Sendable () -> Int64
    private let verdicts: Mutex<SocialVerdicts<Waiter>>

    /// - Parameters:
    ///   - clock: seconds since 1970, for what has come after a call.
    ///   - capacity: how many verdicts are remembered at the most.
    package init(caller: any OutboundCaller, capacity: Int = 8192, clock: @escaping @Sendable () -> Int64) {
        self.caller = caller
        self.clock = clock
        verdicts = Mutex(SocialVerdicts(capacity: capacity))
    }

    /// The verdict on a token, for an app.
    package func verdict(on token: [UInt8], for login: SocialLogin, now: Int64) -> Effect<SocialVerdict> {
        guard let call = FacebookInspection.call(about: token, for: login) else { return .done(.invalid) }
        let key = SocialVerifier.key(token, login)
        return .await { [self] resume in
            let step = verdicts.withLock { $0.look(key, now: now, resume) }
            switch step {
            case .known(let verdict): resume(.done(verdict))
            case .wait: break
            case .ask: ask(call, key, login)
            }
        }
    }

    private func ask(_ call: OutboundCall, _ key: [UInt8], _ login: SocialLogin) {
        caller.perform(call) { [self] result in
            let now = clock()
            let verdict = FacebookInspection.verdict(result, for: login, now: now)
            let waiters = verdicts.withLock { $0.settle(key, verdict, now: now) }
            for waiter in waiters { waiter(.done(verdict)) }
        }
    }

    /// A verdict is about a token and an app. Tokens are not kept: what is remembered is their digest.
    private static func key(_ token: [UInt8], _ login: SocialLogin) -> [UInt8] {
        var text: [UInt8] = []
        for part in [Array(login.appID.utf8), Array(login.verifyURL.description.utf8), token] {
            text += Array("\(part.count):".utf8) + part
        }
        return DigestAlgorithm.sha256.digest(text.span)
    }
}

import Crypto
import Identity
import Model
import Outbound
import Synchronization

/// Verifies tokens with Facebook (FB-03). Shared by all workers: one call serves all concurrent requests with the same
/// token, and the verdict is cached.
package final class FacebookVerifier: SocialVerifier {
    private typealias Waiter = @Sendable (Effect<SocialVerdict>) -> Void

    private let caller: any OutboundCaller
    private let clock: @Sendable () -> Int64
    private let verdicts: Mutex<FacebookVerdicts<Waiter>>

    /// - Parameters:
    ///   - clock: seconds since 1970, read when a call has ended.
    ///   - capacity: maximum number of cached verdicts.
    package init(caller: any OutboundCaller, capacity: Int = 8192, clock: @escaping @Sendable () -> Int64) {
        self.caller = caller
        self.clock = clock
        verdicts = Mutex(FacebookVerdicts(capacity: capacity))
    }

    /// The verdict on a token, for an app.
    package func verdict(on token: [UInt8], for login: SocialLogin, now: Int64) -> Effect<SocialVerdict> {
        guard let call = FacebookInspection.call(about: token, for: login) else { return .done(.invalid) }
        let key = FacebookVerifier.key(token, login)
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

    /// Identifies token and app. Only the digest of a token is kept.
    private static func key(_ token: [UInt8], _ login: SocialLogin) -> [UInt8] {
        var text: [UInt8] = []
        for part in [Array(login.appID.utf8), Array(login.verifyURL.description.utf8), token] {
            text += Array("\(part.count):".utf8) + part
        }
        return DigestAlgorithm.sha256.digest(text.span)
    }
}

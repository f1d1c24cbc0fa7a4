import Identity
import Outbound

/// Where the provider's tokens of a login come from: by the id of its record.
package typealias LoginTokenSource =
    @Sendable (_ id: String, ProvidedTokenDemand, _ now: Int64) -> Effect<Result<ProvidedTokens, ProvidedTokenFailure>>

/// The access token that the provider of a browser's login has given, renewed ahead of its end: the injection
/// `{"from": "login"}`. Or instead of a token, that the provider has said lately that the login holds.
package final class LoginTokenIssuer: TokenIssuer {
    package enum Use: Sendable {
        case access
        /// - Parameters:
        ///   - every: how often the provider is asked, in seconds.
        ///   - skew: `TokenTiming.skewSeconds`, by which a token is used less long than it lasts.
        case check(every: Int64, skew: Int64)
    }

    package let kind = "provider"
    package let configurationID: String
    /// A login is not that of another session of the same user.
    package let dependsOnCredential = true
    /// The record of the login has them.
    package let outlivesProcess = false
    private let use: Use
    private let source: LoginTokenSource

    package init(_ use: Use, source: @escaping LoginTokenSource) {
        self.use = use
        self.source = source
        configurationID =
            switch use {
            case .access: "login"
            case .check(let every, _): "login checked \(every)"
            }
    }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard let id = request.principal.loginRecord else { return .done(.failure(.credentialMissing)) }
        let principal = request.principal
        switch use {
        case .access:
            let instead = request.previous.map { String(decoding: $0.value, as: UTF8.self) }
            return source(id, .access(instead: instead), now).map { result in
                result.mapError(IssueFailure.init).flatMap { tokens in
                    guard let access = tokens.access else { return .failure(.invalidToken) }
                    return .success(
                        IssuedToken(
                            value: Array(access.utf8), issuedAt: tokens.checkedAt,
                            expiresAt: tokens.accessExpiresAt ?? principal.expiresAt ?? .max))
                }
            }
        case .check(let every, let skew):
            return source(id, .check(since: request.previous?.issuedAt ?? now - every, every: every), now).map {
                $0.mapError(IssueFailure.init).map { tokens in
                    // While the provider does not answer, it is asked again soon.
                    let isStale = tokens.checkedAt + every <= now
                    return IssuedToken(
                        value: LoginTokenIssuer.mark, issuedAt: isStale ? now : tokens.checkedAt,
                        expiresAt: (isStale ? now + LoginTokenIssuer.staleSeconds : tokens.checkedAt + every) + skew)
                }
            }
        }
    }

    /// Stands in the cache for a token; no upstream gets it.
    private static let mark = Array("login".utf8)
    private static let staleSeconds: Int64 = 2
}

/// An issuer that derives its tokens from the caller's, at a route whose logins keep the provider's tokens: those stand for
/// one of the caller's own (RFC 8693, RFC 7523).
package final class LoginSubjectIssuer: TokenIssuer {
    private let base: any TokenIssuer
    private let source: LoginTokenSource

    package init(_ base: any TokenIssuer, source: @escaping LoginTokenSource) {
        self.base = base
        self.source = source
    }

    package var kind: String { base.kind }
    package var configurationID: String { base.configurationID }
    package var dependsOnCredential: Bool { base.dependsOnCredential }
    package var dependsOnCaller: Bool { base.dependsOnCaller }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard let id = request.principal.loginRecord else { return base.issue(request, now: now) }
        return source(id, .access(), now).then { [base] result in
            switch result {
            case .success(let tokens): base.issue(request.with(tokens), now: now)
            case .failure(let failure): .done(.failure(IssueFailure(failure)))
            }
        }
    }
}

extension IssueFailure {
    init(_ failure: ProvidedTokenFailure) {
        self =
            switch failure {
            case .ended: .loginEnded
            case .unavailable(let detail): .unavailable.because(detail)
            case .unusable(let detail): .misconfigured.because(detail)
            }
    }
}

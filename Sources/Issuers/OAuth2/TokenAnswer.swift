import Bytes
import Identity

/// What an authorization server has said to a request for a token, read strictly (RFC 6749 sections 5.1 and 5.2).
enum TokenAnswer: Sendable {
    case token(IssuedToken)
    /// It refuses with one of the codes of RFC 6749 section 5.2 or their like.
    case refused(code: String)
    case failed(IssueFailure)

    struct Terms: Sendable {
        /// How long a token is good where the server does not say (RFC 6749 section 5.1).
        var defaultLifetimeSeconds: Int64 = 300
        /// Of RFC 8693; nil where any will do.
        var issuedTokenType: String?
    }

    /// - Parameter now: when the request began, so that nothing is believed for longer than it was meant to.
    init(_ result: OutboundResult, _ terms: Terms, now: Int64) {
        switch result {
        case .failed(let failure): self = .failed(IssueFailure(failure))
        case .response(let response) where response.status == 200:
            self = IssuedToken(response, terms, now: now).map { .token($0) } ?? .failed(.invalidToken)
        case .response(let response):
            if let failure = IssueFailure(overloaded: response) {
                self = .failed(failure)
            } else if (400..<500).contains(response.status), let code = TokenAnswer.code(response) {
                self = .refused(code: code)
            } else {
                self = .failed(.invalidToken.because("status \(response.status)"))
            }
        }
    }

    private static func code(_ response: OutboundResponse) -> String? {
        let node = try? JSONNode.parse(response.body.span, maximumDepth: 16)
        // NQSCHAR, and no longer than one of them has reason to be: it goes into the log.
        guard let code = node?["error"]?.string, (1...64).contains(code.utf8.count),
            code.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != ASCII.quote && $0 != ASCII.backslash })
        else { return nil }
        return code
    }

    /// What a refusal means to the caller.
    static func failure(code: String, isCallerBound: Bool, isExchange: Bool) -> IssueFailure {
        switch code {
        case "invalid_grant", "unauthorized_client", "access_denied":
            return (isCallerBound ? IssueFailure.refused : .misconfigured).because(code)
        // RFC 8693 section 2.2.2: that is how a subject token is refused.
        case "invalid_request" where isExchange: return .refused.because(code)
        case "temporarily_unavailable", "server_error", "slow_down": return .unavailable.because(code)
        default: return .misconfigured.because(code)
        }
    }
}

extension IssuedToken {
    /// Nil where a member is missing, or of another shape than it should be.
    fileprivate convenience init?(_ response: OutboundResponse, _ terms: TokenAnswer.Terms, now: Int64) {
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let value = node["access_token"]?.string, IssuedToken.isFit(value),
            let type = node["token_type"]?.string, type.lowercased().utf8.elementsEqual("bearer".utf8)
        else { return nil }
        if let wanted = terms.issuedTokenType {
            guard let issued = node["issued_token_type"]?.string, issued.utf8.elementsEqual(wanted.utf8) else {
                return nil
            }
        }
        var lifetime = terms.defaultLifetimeSeconds
        if let member = node["expires_in"] {
            guard let seconds = Lifetime.seconds(member) else { return nil }
            lifetime = seconds
        }
        var refresh: [UInt8]?
        if let member = node["refresh_token"] {
            guard let text = member.string, IssuedToken.isFit(text) else { return nil }
            refresh = Array(text.utf8)
        }
        let refreshSeconds = node["refresh_expires_in"].flatMap(Lifetime.seconds)
        self.init(
            value: Array(value.utf8), issuedAt: now, expiresAt: now + lifetime, refresh: refresh,
            refreshExpiresAt: refreshSeconds.map { now + $0 })
    }

    private static func isFit(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// How long something is good, as servers write it.
enum Lifetime {
    /// What is said to last longer is not believed; ten years.
    static let longest: Int64 = 315_360_000

    /// A positive whole number, which some servers write as a string.
    static func seconds(_ node: JSONNode) -> Int64? {
        guard let number = node.integer ?? node.string.flatMap(seconds(text:)), number > 0 else { return nil }
        return min(number, longest)
    }

    /// `1*DIGIT` and nothing else; nil for 0.
    static func seconds(text: String) -> Int64? {
        guard let number = Decimal.parse(Array(text.utf8).span), number > 0 else { return nil }
        return min(Int64(number), longest)
    }
}

extension IssueFailure {
    /// No answer at all.
    init(_ failure: OutboundFailure) {
        switch failure {
        case .resolve, .connect, .tls, .timeout, .unavailable: self = .unavailable.because(failure.rawValue)
        case .malformed, .tooLarge: self = .invalidToken.because(failure.rawValue)
        }
    }

    /// A server that cannot just now, or wants to be asked less; nil for any other answer.
    init?(overloaded response: OutboundResponse) {
        guard response.status == 429 || response.status >= 500 else { return nil }
        let pause = response.value(of: "Retry-After").flatMap(Lifetime.seconds(text:))
        let failure = pause.map { IssueFailure.unavailable(retryAfter: Int($0)) } ?? .unavailable
        self = failure.because("status \(response.status)")
    }
}

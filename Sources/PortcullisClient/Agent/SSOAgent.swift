import Bytes
import ClientStore
import Model

/// The agent of a circle of trust, which logs in and gets tokens for the other applications (AGT-02, AGT-04).
///
/// It issues access tokens for one webgate, bound to the requesting application. Its own user token, which is valid for
/// all of them, is never passed on.
public struct SSOAgent: Sendable {
    /// The outcome of a request, without tokens.
    public struct Record: Equatable, Sendable {
        /// Nil for an invalid request.
        public let request: SSORequest?
        /// Nil if a token was issued.
        public let refusal: SSORefusal?
        /// The gateway's refusal, for the agent's user.
        public let problem: ClientError?
    }

    private let applications: Set<String>

    /// - Parameter applications: names of the served applications. The gateway decides whether they belong to the
    ///   circle of trust.
    public init(applications: Set<String>) { self.applications = applications }

    /// Handles a request. Returns the URL of the response and the outcome.
    ///
    /// - Parameters:
    ///   - callback: opens the application; nil if the response returns by the connection of the request.
    ///   - client: the client of the agent, with its login.
    public func process(
        _ url: String, callback: String? = nil, _ client: () throws(ClientError) -> GatewayClient
    ) async -> (response: String, record: Record) {
        guard let request = try? parseSSORequest(url) else { return answer(nil, .failure(.malformedRequest), callback) }
        guard applications.contains(where: { $0.isExactly(request.application) }) else {
            return answer(request, .failure(.unknownApplication), callback)
        }
        do throws(ClientError) {
            let client = try client()
            guard client.isHome(of: request) else { return answer(request, .failure(.wrongGateway), callback) }
            return answer(request, .success(try await client.grant(for: request)), callback)
        } catch {
            return answer(request, .failure(SSORefusal(error)), callback, error)
        }
    }

    private func answer(
        _ request: SSORequest?, _ outcome: Result<SSOGrant, SSORefusal>, _ callback: String?,
        _ problem: ClientError? = nil
    ) -> (response: String, record: Record) {
        let url = completeSSORequest(
            state: request?.state ?? "", with: outcome, callback: callback ?? AgentSocket.callback)
        var refusal: SSORefusal?
        if case .failure(let why) = outcome { refusal = why }
        return (url, Record(request: request, refusal: refusal, problem: problem))
    }
}

extension SSORefusal {
    fileprivate init(_ error: ClientError) {
        switch error.code {
        case .notLoggedIn, .loginRequired, .expired, .wrongBackend, .invalidCredentials, .deviceWiped:
            self = .loginRequired
        case .unreachable, .tlsFailed, .malformedResponse, .unavailable, .storeFailed, .storeUnreadable, .cancelled:
            self = .unavailable
        default: self = .refused
        }
    }
}

extension GatewayClient {
    /// Whether a request is for the gateway and service domain of this client.
    fileprivate func isHome(of request: SSORequest) -> Bool {
        guard let domain = profile.serviceDomain, domain.isExactly(request.serviceDomain),
            request.gateway.isExactly(origin), let resource = try? WebURL(client: request.resource)
        else { return false }
        return isTrusted(resource)
    }

    /// Gets a token for an application with this client's login.
    fileprivate func grant(for request: SSORequest) async throws(ClientError) -> SSOGrant {
        let login = try login()
        guard login.method == .mobile else {
            throw ClientError(.loginRequired, "the agent's login belongs to no service domain; log in by oam")
        }
        let reply = try await access(
            context: request.context, resource: request.resource, login, onBehalfOf: request.application)
        let level = reply.number("level").flatMap { Int(exactly: $0) }
        return SSOGrant(token: try reply.token("ACCESSTOKEN"), level: level, seconds: reply.number("expires_in"))
    }
}

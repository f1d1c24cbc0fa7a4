import Bytes
import ClientStore
import HTTP
import Model
import Synchronization

extension GatewayClient {
    /// Sends a request with the credentials of the login, and answers the challenge of a webgate: after a 401 with
    /// `OAM-Auth` the request is repeated with an access token for that webgate (RST-01). Without a login the response
    /// is returned unchanged (RST-03).
    ///
    /// Tokens are only sent to the server of the profile and its `hosts`. Redirects are never followed.
    /// - Parameter convertToJSON: whether the body must be JSON (RST-04).
    /// - Returns: the response with any status. `problem` tells why a refusal could not be resolved.
    public func execute(
        _ request: ClientRequest, convertToJSON: Bool = false
    ) async throws(ClientError) -> ClientResponse {
        var response = try await perform(request)
        if convertToJSON, !response.body.isEmpty {
            guard let node = try? JSONNode.parse(response.body.span) else {
                throw ClientError(.notJSON, "the reply with status \(response.status) is no JSON")
            }
            response.json = ClientJSON(node)
        }
        return response
    }

    private func perform(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        guard request.usesSession, !request.has("authorization") else { return try await send(request) }
        let address = try WebURL(client: request.url)
        let login = try? login()
        guard login != nil || agent != nil else { return try await send(anonymous(request, address)) }
        guard isTrusted(address) else {
            var response = try await send(request)
            if response.status == 401 {
                response.problem = ClientError(
                    .untrustedHost, "\(address.place) gets no token: it is neither the gateway nor in /hosts")
            }
            return response
        }
        guard let login, agent == nil, login.method != .mobile else {
            return try await answeringChallenges(request, address)
        }
        // Tokens of the gateway must only be sent to the gateway.
        let isOwn = address.place == origin
        var response = try await send(isOwn ? try authorized(request, login) : request)
        if response.status == 401 { response.problem = GatewayClient.refused }
        return response
    }

    /// An anonymous request, with the backend's anonymous key, if the profile has one.
    private func anonymous(_ request: ClientRequest, _ address: WebURL) -> ClientRequest {
        guard let key = profile.anonymousKey, address.place == origin else { return request }
        return request.adding(.init("Authorization", "Basic \(key)")).naming(backend: profile.mobileBackendID)
    }

    private static let refused = ClientError(.tokenRefused, "the server does not accept what proves the login")

    func isTrusted(_ address: WebURL) -> Bool {
        address.place == origin || profile.hosts.contains { (try? WebURL(client: $0))?.place == address.place }
    }

    private func answeringChallenges(
        _ request: ClientRequest, _ address: WebURL
    ) async throws(ClientError) -> ClientResponse {
        let first = live.withLock { WebgateToken.fitting(address, in: $0.session.webgates, now: now()) }
        var response = try await send(request.presenting(first))
        guard response.status == 401 else { return response }
        guard let challenge = GatewayClient.challenge(in: response) else {
            response.problem = ClientError(
                .notChallenged,
                "the server has not challenged as it does mobile clients; it may want another User-Agent than "
                    + "\"\(profile.userAgent)\"")
            return response
        }
        let token: WebgateToken
        do throws(ClientError) {
            token = try await self.token(for: challenge, address, refused: first)
        } catch {
            guard error.domain != .transport else { throw error }
            response.problem = error
            return response
        }
        response = try await send(request.presenting(token))
        if response.status == 401 {
            try forget(token)
            response.problem = GatewayClient.refused
        }
        return response
    }

    /// The first well-formed OAM-Auth challenge of all fields (oam-wire 1.1).
    private static func challenge(in response: ClientResponse) -> WebgateChallenge? {
        response.values("www-authenticate").lazy.compactMap { WebgateChallenge.parse(Array($0.utf8).span) }.first
    }
}

extension ClientRequest {
    /// The request with a token, in the exact form of oam-wire 2.
    fileprivate func presenting(_ token: WebgateToken?) -> ClientRequest {
        guard let token else { return self }
        return adding(.init("Authorization", "OAM-Auth \(token.token)"))
    }
}

import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logouts at providers (OpenID Connect Back-Channel Logout). Every login has a store record on which its sessions
/// depend. Removing it ends the sessions and all tokens derived from them, in every process.
extension ProviderLogin {
    /// Seconds by which a provider's clock may be behind: logins that began later than that after the notice are not
    /// affected.
    private static let clockSkew: Int64 = 60
    /// Marks the record of a login without a session id of the provider.
    private static let nameless = "nameless"
    /// Maximum number of concurrent logins per user of a provider.
    static let mostLogins = 256

    /// Stores a login on which sessions will depend: one record found by the provider's session, and one found by the
    /// provider's user that refers to the first.
    ///
    /// - Parameters:
    ///   - subject: the user's name here, whose injected tokens end with the login.
    ///   - until: seconds since 1970 when the last of the sessions ends.
    ///   - unredeemed: seconds since 1970 when the login ends unless `LoginFoundation.keep` is called before.
    /// - Returns: the id of the record; nil if the store fails.
    package func foundation(
        of identity: ProvidedIdentity, subject: String, until: Int64, unredeemed: Int64? = nil, now: Int64
    ) -> Effect<String?> {
        let id = AccessTokenMinter.randomID()
        // The login ends at the time the provider requests (SAML core section 2.7.2).
        let until = min(until, identity.endsAt ?? until)
        var login = TokenRecord(
            id: id, kind: .provided,
            application: ProviderLogin.session(identity.sessionID ?? id, at: identity.provider), subject: subject,
            tokenID: id, accessExpiresAt: until, issuedAt: now)
        if let tokens = identity.tokens { login.sealed = seals.seal(tokens, until: until) }
        var index = TokenRecord(
            id: LoginFoundation.index(of: id), kind: .provided,
            application: ProviderLogin.user(identity.subject, at: identity.provider), subject: subject, tokenID: "",
            accessExpiresAt: until, issuedAt: now)
        index.extra = id
        if identity.sessionID == nil { index.scope = ProviderLogin.nameless }
        let records = [index, login].map { record in unredeemed.map(record.held(until:)) ?? record }
        return store.ask(.insert(records[0]), now: now) { [store] answer in
            guard case .success(.record(_?)) = answer else { return .done(nil) }
            return store.ask(.insert(records[1]), now: now) { [self] answer in
                guard case .success(.record(_?)) = answer else { return .done(nil) }
                return endSurplus(beside: records[0], now: now).map { id }
            }
        }
    }

    /// Ends the oldest logins of a provider's user who has too many, so that one user cannot fill the store.
    /// - Parameter index: finds the newest login.
    private func endSurplus(beside index: TokenRecord, now: Int64) -> Effect<Void> {
        let list = StoreOperation.list(application: index.application, subject: index.subject, limit: .max)
        return store.ask(list, now: now) { [self] answer in
            guard case .success(.records(let records)) = answer else { return .done(()) }
            let surplus = records.dropFirst(ProviderLogin.mostLogins).flatMap { LoginFoundation.ids(of: $0.extra) }
            return store.end(surplus[...], by: revocations, now: now).map { _ in }
        }
    }

    /// The provider's names may have any length and any characters.
    private static func session(_ id: String, at provider: String) -> String {
        "provider:\(provider):sid:\(digest(id))"
    }

    private static func user(_ id: String, at provider: String) -> String {
        "provider:\(provider):sub:\(digest(id))"
    }

    static func digest(_ text: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(text.utf8).span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    // MARK: Back-channel notices

    /// `POST` of a `logout_token`.
    func logOut(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let names = PathSegment.decode(request.path, behind: paths[.providerLogout]), names.count == 1,
            let provider = provider(named: names[0])
        else { return .done(ProviderLogin.unknownProvider) }
        guard request.method == .post, TokenForm.isForm(request.contentType),
            let form = try? FormFields.parse(request.body.span), form.repeatedName == nil,
            let token = form.first("logout_token")
        else { return .done(ProviderLogin.refusal(400, reason: .providerLogoutMalformed)) }
        return provider.logoutNotice(Array(token.utf8), now: now).then { [self] result in
            switch result {
            case .failure(let failure):
                observe(provider.name, failure, request.requestID)
                // Section 2.8: 400 for an invalid notice; 503 lets the provider retry.
                return .done(ProviderLogin.refusal(failure.status == 503 ? 503 : 400, reason: failure.reason))
            case .success(let notice): return end(notice, provider.name, now: now)
            }
        }
    }

    /// `GET` in a frame of the provider's page. Browsers send no cookies with it: the session is the one that the provider
    /// names, and the answer does not tell whether there is one.
    func logOutInFrame(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let names = PathSegment.decode(request.path, behind: paths[.providerFrameLogout]), names.count == 1,
            let provider = provider(named: names[0])
        else { return .done(ProviderLogin.unknownProvider) }
        guard request.method == .get, let query = try? FormFields.parse(request.query.span), query.repeatedName == nil,
            let notice = provider.logoutNotice(
                issuer: query.first("iss") ?? "", sessionID: query.first("sid") ?? "", now: now)
        else { return .done(ProviderLogin.refusal(400, reason: .providerLogoutMalformed)) }
        return end(notice, provider.name, now: now)
    }

    private func end(_ notice: LogoutNotice, _ provider: String, now: Int64) -> Effect<EndpointResponse> {
        var places: [Place] = []
        switch notice.scope {
        case .session(let id, let subject):
            places.append(Place(application: ProviderLogin.session(id, at: provider)))
            if let subject {
                places.append(Place(application: ProviderLogin.user(subject, at: provider), onlyNameless: true))
            }
        case .subject(let id): places.append(Place(application: ProviderLogin.user(id, at: provider)))
        }
        return ids(at: places[...], by: notice.issuedAt + ProviderLogin.clockSkew, now: now) { [self] ids in
            guard let ids else { return .done(ProviderLogin.refusal(503, reason: .storeUnavailable)) }
            return store.end(ids[...], by: revocations, now: now).map { ended in
                guard ended else { return ProviderLogin.refusal(503, reason: .storeUnavailable) }
                var response = EndpointResponse(
                    status: 200, headers: [(name: "Cache-Control", value: "no-store")], body: [],
                    reason: .providerLogout)
                response.audit = AuditEntry(
                    action: "provider.logout", outcome: .changed, client: provider, tokenID: notice.tokenID)
                return response
            }
        }
    }

    /// Where to look up the records of logins.
    private struct Place: Sendable {
        let application: String
        /// Whether to skip logins with a session id of the provider.
        var onlyNameless = false
    }

    /// Record ids of the logins at some places.
    ///
    /// - Parameters:
    ///   - time: latest login to include. Logins after the provider's notice are excluded, so that a replayed notice
    ///     does not end them.
    ///   - then: gets nil if the store fails.
    private func ids(
        at places: ArraySlice<Place>, by time: Int64, _ found: [String] = [],
        now: Int64, then: @escaping @Sendable ([String]?) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard let place = places.first else { return then(found) }
        return store.ask(.list(application: place.application, subject: nil, limit: .max), now: now) { [self] answer in
            guard case .success(.records(let records)) = answer else { return then(nil) }
            let logins = records.filter { record in
                record.kind == .provided && record.issuedAt <= time
                    && (!place.onlyNameless || record.scope.isExactly(ProviderLogin.nameless))
            }
            let ids = logins.flatMap { LoginFoundation.ids(of: $0.extra.isEmpty ? $0.id : $0.extra) }
            return self.ids(at: places.dropFirst(), by: time, found + ids, now: now, then: then)
        }
    }

    /// Compatible with earlier versions: the shape of an unknown service.
    private static var unknownProvider: EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", "No such service")
        writer.member("oicErrorCode", "IDAAS-00006")
        writer.member("code", Reason.oicUnknownService.code)
        writer.endObject()
        var response = EndpointResponse.personal(writer.bytes, reason: .oicUnknownService)
        response.status = Reason.oicUnknownService.status
        return response
    }

    private static func refusal(_ status: Int, reason: Reason) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", status == 400 ? "invalid_request" : "temporarily_unavailable")
        writer.endObject()
        var response = EndpointResponse.personal(writer.bytes, reason: reason)
        response.status = status
        if status == 503 { response.headers.append((name: "Retry-After", value: "5")) }
        return response
    }
}

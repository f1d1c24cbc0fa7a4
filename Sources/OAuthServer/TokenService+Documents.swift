import Bytes
import Endpoints
import Identity
import Model

extension TokenService {
    /// Describes the caller (BASIC-04). Only users are described; clients and anonymous keys are refused.
    func whoAmI(_ principal: Principal?) -> EndpointResponse {
        guard let principal, principal.kind == .user, let details = Details(principal, settings) else {
            return .problem(
                .loginRequired, "invalid or missing token",
                headers: [(name: "WWW-Authenticate", value: #"Bearer realm="portcullis""#)])
        }
        return .personal(details.json(), reason: .whoAmI)
    }

    /// Data about a caller. For a virtual user only name and roles are known.
    private struct Details {
        let principal: Principal
        let user: User?

        /// Nil for a local user whose account was removed or disabled (MAP-04).
        init?(_ principal: Principal, _ settings: TokenServiceSettings) {
            self.principal = principal
            guard !principal.virtual else {
                user = nil
                return
            }
            let candidates = settings.users.users(named: principal.subject, realm: settings.boundRealm(of: principal))
            guard candidates.count == 1, candidates[0].enabled else { return nil }
            user = candidates[0]
        }

        func json() -> [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("username", principal.subject)
            member("email", user?.email, &writer)
            member("firstName", user?.firstName, &writer)
            member("lastName", user?.lastName, &writer)
            member("realm", user?.realm, &writer)
            writer.member("roles", principal.roleNames)
            writer.member("virtual", principal.virtual)
            writer.endObject()
            return writer.bytes
        }

        private func member(_ name: String, _ text: String?, _ writer: inout JSONWriter) {
            writer.name(name)
            if let text { writer.value(text) } else { writer.null() }
        }
    }
}

extension TokenServiceSettings {
    /// The realm that a credential is bound to; nil for an unbound one.
    fileprivate func boundRealm(of principal: Principal) -> String? {
        let application = principal.application.flatMap { applications?.application(named: $0) }
        let client = principal.backendID.flatMap { clients.client(id: Array($0.utf8).span) }
        return application?.realm ?? client?.realm
    }
}

extension TokenService {
    /// The realm of a caller: that of the client or application, otherwise of the only user with the name.
    package func realm(of principal: Principal) -> String? {
        if let realm = settings.boundRealm(of: principal) { return realm }
        let candidates = principal.virtual ? [] : settings.users.users(named: principal.subject, realm: nil)
        return candidates.count == 1 ? candidates[0].realm : nil
    }

    /// The settings of a client for its developers.
    package func describe(_ client: Client, includingSecrets: Bool) -> [UInt8] {
        client.settingsJSON(
            baseURL: settings.baseURL,
            paths: .init(
                token: settings.paths[.token], exchange: ExchangePaths.tokens,
                sso: settings.signOnPath, saml: settings.samlPath),
            includingSecrets: includingSecrets)
    }
}

extension TokenService {
    /// A token as the endpoint would issue it, without authentication: for the command line.
    package func mint(_ grant: AccessTokenMinter.Grant, now: Int64) -> [UInt8] { minter.mint(grant, now: now) }
}

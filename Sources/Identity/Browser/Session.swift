import Bytes
import Model

/// The login of a browser, as sealed in its cookie. Roles of an account are not in it: they are looked up at each use.
package struct Session: Sendable, Equatable {
    /// The service that a browser has logged in to, whose settings limit the login.
    package struct Place: Sendable, Equatable {
        /// Name of the service domain.
        package var domain: String
        /// Id of the client of its application.
        package var backendID: String
        /// Whether the user is known only to another server, and admitted by the domain as a guest (OMS-12).
        package var isGuest = false

        package init(domain: String, backendID: String) {
            self.domain = domain
            self.backendID = backendID
        }
    }

    /// Id of its store record; new after every login, against session fixation.
    package var id: String
    /// Named by the tokens that are issued in it, and denied after its logout. Kept when the same user logs in again.
    package var family: String
    package var subject: String
    /// Realm of the user's account; for a virtual user, of the client that was logged in to.
    package var realm: String
    /// Name of the identity provider, or `LoginChoice.ownForm`.
    package var provider: String
    /// Its time is that of the login here. The roles are those of the provider.
    package var login: LoginFacts
    /// Levels (`acr`) that the provider has named.
    package var levels: [String] = []
    /// JSON of an object with the claims of the provider that it keeps; empty for none.
    package var claims: [UInt8] = []
    /// Ids of the store records that it depends on; a logout at the provider ends them.
    package var foundations: [String] = []
    /// Seconds since 1970, as are all times here.
    package var expiresAt: Int64
    /// Seconds without a use that end it; nil for none (OMS-09).
    package var idleSeconds: Int64?
    /// Time of the last use.
    package var usedAt: Int64
    /// Nil for a session of single sign-on, which belongs to no service.
    package var place: Place?

    package init(
        id: String, family: String? = nil, subject: String, realm: String, provider: String = LoginChoice.ownForm,
        login: LoginFacts, expiresAt: Int64
    ) {
        self.id = id
        self.family = family ?? id
        self.subject = subject
        self.realm = realm
        self.provider = provider
        self.login = login
        self.expiresAt = expiresAt
        usedAt = login.authenticatedAt
    }

    /// Whether an identity provider has authenticated the user.
    package var isProvided: Bool { !provider.isExactly(LoginChoice.ownForm) }

    /// How and when the user logged in. The level is one as in the gateway's own tokens. A provider may have asked for no new
    /// login, so that the time of one there is what it has said.
    package var authentication: AuthenticationClaims {
        AuthenticationClaims(
            levels: ["\(login.level)"] + levels, time: isProvided ? login.providerTime : login.authenticatedAt)
    }

    /// Of the objects and lists in it; that of a provider's claims is limited.
    private static let maximumDepth = 34

    /// The claims of the provider; nil for none.
    package var providedClaims: JSONNode? { try? JSONNode.parse(claims.span, maximumDepth: Session.maximumDepth) }

    /// All members but the end, which the seal has.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", id)
            writer.member("family", family)
            writer.member("sub", subject)
            writer.member("realm", realm)
            writer.member("idp", provider)
            login.write(to: &writer)
            if !levels.isEmpty { writer.member("acr", levels) }
            if !claims.isEmpty {
                writer.name("claims")
                writer.value(json: claims.span)
            }
            if !foundations.isEmpty { writer.member("on", foundations) }
            if let idleSeconds { writer.member("idle", idleSeconds) }
            writer.member("used", usedAt)
            guard let place else { return }
            writer.member("domain", place.domain)
            writer.member("backend", place.backendID)
            writer.member("guest", place.isGuest)
        }
    }

    /// Nil for input that `json` does not produce.
    init?(_ json: [UInt8], expiresAt: Int64) {
        guard let node = try? JSONNode.parse(json.span, maximumDepth: Session.maximumDepth),
            let id = node["id"]?.string, !id.isEmpty,
            let family = node["family"]?.string, !family.isEmpty, let subject = node["sub"]?.string, !subject.isEmpty,
            ExternalIdentityRules.isFitForHeaders(subject), let realm = node["realm"]?.string,
            let provider = node["idp"]?.string, !provider.isEmpty, let login = LoginFacts(node),
            let usedAt = node["used"]?.integer
        else { return nil }
        self.init(
            id: id, family: family, subject: subject, realm: realm, provider: provider, login: login,
            expiresAt: expiresAt)
        self.usedAt = usedAt
        levels = node["acr"]?.array?.compactMap(\.string) ?? []
        claims = node["claims"]?.serialized ?? []
        foundations = node["on"]?.array?.compactMap(\.string) ?? []
        idleSeconds = node["idle"]?.integer
        guard let domain = node["domain"]?.string else { return }
        guard let backendID = node["backend"]?.string, let isGuest = node["guest"]?.bool else { return nil }
        var place = Place(domain: domain, backendID: backendID)
        place.isGuest = isGuest
        self.place = place
    }
}

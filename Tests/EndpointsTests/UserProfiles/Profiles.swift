import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Synchronization
import TestSupport
import UserProfiles

/// User profiles behind the token service, with a registry that remembers what it was asked.
final class Profiles: Sendable {
    static let path = "/oic_rest/rest/userprofile"
    static let roles = ["Manager", "Clerk", "userProfile.read", "userProfile.write"]

    let service: Families
    let profiles: UserProfileService
    let registry = Registry()

    init(users: [User] = Profiles.users) {
        let store = UserStore(users: users, hasher: PasswordHasher())
        var settings = Service.settings(users: store)
        settings.catalogue = RoleCatalogue(Profiles.roles)
        var profiles = UserProfileService.Settings(
            users: store, hasher: PasswordHasher(), catalogue: settings.catalogue)
        profiles.roleDescriptions = ["Clerk": "Counts"]
        profiles.registry = registry
        let tokens = TokenService(settings: settings)
        profiles.realm = tokens.realm
        var families = Families(tokens)
        self.profiles = UserProfileService(settings: profiles)
        families.add(self.profiles.handlers)
        service = families
    }

    static let users: [User] = {
        var joe = User(
            username: "joe", email: "joe@example.com", firstName: "Joe", passwordHash: "{PlainText}secret",
            roles: ["Manager"])
        joe.securityQuestions = [SecurityQuestion(question: "Pet?", answer: "{PlainText}rex")]
        joe.oneTimeSecret = Array("12345678901234567890".utf8)
        joe.attributes = ["title": "Boss", "manager": "gone"]
        return [
            joe, User(username: "ann", email: "ann@example.com", roles: ["Clerk"]),
            User(username: "boss", roles: ["userProfile.read", "userProfile.write"]),
            User(username: "former", roles: []),
            User(username: "off", roles: ["userProfile.read", "userProfile.write"], enabled: false),
            User(username: "joe", email: "joe@other.example", realm: "Other"),
        ]
    }()

    /// The principal of a token, with the roles that it names.
    static func principal(
        _ name: String, _ roles: [String] = ["userProfile.read", "userProfile.write"], kind: Principal.Kind = .user,
        method: Principal.Method = .bearer, client: String? = "mbe-inv-1", virtual: Bool = false,
        isReadOnly: Bool = false, webgate: String? = nil
    ) -> Principal {
        let catalogue = RoleCatalogue(Profiles.roles)
        return Principal(
            kind: kind, method: method, subject: name, issuer: "local", backendID: client,
            roles: catalogue.roles(named: roles), catalogue: catalogue, level: 2, virtual: virtual,
            isReadOnly: isReadOnly, webgate: webgate)
    }

    func ask(
        _ method: Method, _ path: String, query: String = "", _ body: String? = nil,
        _ principal: Principal? = Profiles.principal("boss"), fields: [(name: String, value: String)] = []
    ) -> EndpointResponse {
        let request = EndpointRequest(
            method: method, path: Profiles.path + path, query: Array(query.utf8),
            contentType: body == nil ? nil : "application/json", body: Array((body ?? "").utf8),
            principal: principal, requestID: "r1", fields: fields)
        return service.handle(request, endpoint: .userProfile, now: Service.now).settled()
    }

    func get(_ path: String, _ query: String = "", _ principal: Principal? = Profiles.principal("boss"))
        -> EndpointResponse
    {
        ask(.get, path, query: query, nil, principal)
    }
}

extension EndpointResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The ids of a page.
    var ids: [String] { (json?["items"]?.array ?? []).compactMap { $0["id"]?.string } }
}

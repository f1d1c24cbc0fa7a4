import Bytes
import Endpoints
import Identity
import Model

/// The caller of a request and its rights.
struct ProfileCaller: Sendable {
    let name: String
    /// Realm of the users that the caller may see.
    let realm: String
    let mayRead: Bool
    let mayWrite: Bool
    /// Client, application or issuer of the token, for the audit log.
    let client: String
    /// Whether the caller is a user of the realm.
    private let isLocal: Bool

    /// A token carries the roles of its issue. Removing a role takes effect at once, so local users must still have it.
    init(_ principal: Principal, realm: String, _ settings: UserProfileService.Settings) {
        name = principal.subject
        self.realm = realm
        client = principal.backendID ?? principal.application ?? principal.issuer
        let isLocal = principal.kind == .user && !principal.virtual
        self.isLocal = isLocal
        let account = isLocal ? settings.users.user(named: principal.subject, realm: realm) : nil
        func has(_ role: String) -> Bool {
            guard let index = settings.catalogue.index(of: role), principal.roles.contains(index) else { return false }
            return isLocal ? account?.enabled == true && account?.roles.contains { $0.isExactly(role) } == true : true
        }
        mayRead = has(UserProfileService.readRole)
        mayWrite = has(UserProfileService.writeRole)
    }

    /// Whether the user of this id is the caller.
    func isSame(_ id: String) -> Bool { isLocal && id.isExactly(name) }

    func origin(_ request: EndpointRequest) -> ChangeOrigin {
        ChangeOrigin(
            address: request.address?.description ?? "", requestID: request.requestID, application: client, caller: name
        )
    }
}

import Bytes
import Endpoints
import HTTP
import Identity
import Model

/// Who asks, and what that one may do.
struct ProfileCaller: Sendable {
    let name: String
    /// Of the users that the caller may see.
    let realm: String
    let mayRead: Bool
    let mayWrite: Bool
    /// What the token is bound to, for the audit log.
    let client: String
    /// Whether the caller is a user of the realm.
    private let isLocal: Bool

    /// A token carries the roles of the time when it was issued. A right to see or change other people's records is gone
    /// as soon as it was taken, so that local users must have it still.
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

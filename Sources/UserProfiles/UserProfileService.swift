import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// The user profile services of Mobile & Social as requests and responses (UPS-01 to UPS-07): people are the users of
/// the caller's realm, groups are the role catalogue.
///
/// Reading wants the role `userProfile.read`, writing `userProfile.write`; everybody may read the own record.
package final class UserProfileService: Sendable {
    /// What they are made from. Immutable; a reload makes others.
    package struct Settings: Sendable {
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        /// What roles are for, by name.
        package var roleDescriptions: [String: String] = [:]
        /// The realm of a caller; nil where it is not known.
        package var realm: @Sendable (Principal) -> String? = { _ in nil }
        /// Where users and roles are changed; nil where that cannot be done.
        package var registry: (any UserRegistry)?

        package init(users: UserStore, hasher: PasswordHasher, catalogue: RoleCatalogue) {
            self.users = users
            self.hasher = hasher
            self.catalogue = catalogue
        }
    }

    /// The roles of those who may read and write.
    package static let readRole = "userProfile.read"
    package static let writeRole = "userProfile.write"

    typealias Answer = Effect<EndpointResponse>

    let settings: Settings
    let directory: UserDirectory

    /// What its endpoint is answered by.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [.userProfile: { request, _ in self.handle(request, realm: request.principal.flatMap(self.settings.realm)) }]
    }

    package init(settings: Settings) {
        self.settings = settings
        directory = UserDirectory(users: settings.users)
    }

    /// A request that was let in.
    struct Call: Sendable {
        let request: EndpointRequest
        let caller: ProfileCaller
        /// Of the users that the caller may see.
        var realm: String { caller.realm }
    }

    /// Answers a request below `path` with a verified caller. Called on an event loop.
    ///
    /// - Parameter realm: the caller's; nil where nobody knows it.
    func handle(_ request: EndpointRequest, realm: String?) -> Answer {
        answer { () throws(ProfileRefusal) in
            guard let principal = request.principal, principal.method == .bearer, principal.kind != .anonymous else {
                throw ProfileRefusal(.bearerRequired)
            }
            guard principal.webgate == nil else { throw ProfileRefusal(.wrongWebgate) }
            guard let path = ProfilePath(request.path) else { throw ProfileRefusal(.noSuchResource) }
            let isReading = request.method == .get || request.method == .head
            guard isReading || path.writingMethods.contains(request.method) else {
                return .done(UserProfileService.methodNotAllowed(path))
            }
            guard let realm else { throw ProfileRefusal(.unknownRealm) }
            let caller = ProfileCaller(principal, realm: realm, settings)
            if !isReading {
                guard caller.mayWrite else { throw ProfileRefusal(.rightMissing) }
                guard !principal.isReadOnly else { throw ProfileRefusal(.readOnlyToken) }
            }
            let call = Call(request: request, caller: caller)
            return isReading ? try read(path, call) : try write(path, call)
        }
    }

    private func read(_ path: ProfilePath, _ call: Call) throws(ProfileRefusal) -> Answer {
        switch path {
        case .people: try search(call)
        case .person(let id): try show(id, call)
        case .attribute(let name, let id): try show(name, of: id, call)
        case .manager(let id): try showManager(of: id, call)
        case .reports(let id): try showReports(of: id, call)
        case .groups: try showGroups(call)
        case .group(let name): try showGroup(name, call)
        case .members(let name): try showMembers(of: name, call)
        case .member(let id, let name): try showMember(id, of: name, call)
        }
    }

    private func write(_ path: ProfilePath, _ call: Call) throws(ProfileRefusal) -> Answer {
        let isRemoval = call.request.method == .delete
        // A parameter would mean something that is not done.
        _ = try ProfileQuery(call.request.query, [])
        return switch path {
        case .people: try create(call)
        case .person(let id): isRemoval ? try remove(id, call) : try change(id, call)
        case .groups: try createGroup(call)
        case .group(let name): isRemoval ? try removeGroup(name, call) : try changeGroup(name, call)
        case .member(let id, let name):
            isRemoval ? try removeMember(id, from: name, call) : try addMember(id, to: name, call)
        case .attribute, .manager, .reports, .members: throw ProfileRefusal(.noSuchResource)
        }
    }

    // MARK: Answers

    /// What the body does, or the answer to its refusal.
    func answer(_ body: () throws(ProfileRefusal) -> Answer) -> Answer {
        do throws(ProfileRefusal) { return try body() } catch { return .done(error.response) }
    }

    private static func methodNotAllowed(_ path: ProfilePath) -> EndpointResponse {
        let methods = ["GET", "HEAD"] + path.writingMethods.compactMap { $0.name.map { "\($0)" } }
        return .methodNotAllowed(methods.joined(separator: ", "))
    }

    /// What goes through all users is done away from the event loops where they are many.
    func scan(_ work: @escaping @Sendable () -> EndpointResponse) -> Answer {
        directory.isLarge ? .offload { .done(work()) } : .done(work())
    }

    /// The user of this id, whom the caller may see.
    func person(_ id: String, _ call: Call) throws(ProfileRefusal) -> User {
        guard call.caller.mayRead || call.caller.isSame(id) else { throw ProfileRefusal(.rightMissing) }
        guard let user = settings.users.user(named: id, realm: call.realm) else {
            throw ProfileRefusal(.unknownPerson)
        }
        return user
    }
}

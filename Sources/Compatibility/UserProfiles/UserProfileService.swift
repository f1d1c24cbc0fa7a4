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
/// Reading requires the role `userProfile.read`, writing `userProfile.write`; every user may read the own record.
package final class UserProfileService: Sendable {
    /// Immutable; a reload builds others.
    package struct Settings: Sendable {
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        /// Descriptions of roles, by name.
        package var roleDescriptions: [String: String] = [:]
        /// The realm of a caller; nil if unknown.
        package var realm: @Sendable (Principal) -> String? = { _ in nil }
        /// Continues with the user of a session of Mobile & Social, by the user token; nil without service domains.
        package var userTokens: UserTokens?
        /// Changes users and roles; nil if they are read-only.
        package var registry: (any UserRegistry)?

        package init(users: UserStore, hasher: PasswordHasher, catalogue: RoleCatalogue) {
            self.users = users
            self.hasher = hasher
            self.catalogue = catalogue
        }
    }

    /// - Parameters: the token, the time in seconds since 1970, and what follows for a valid token.
    package typealias UserTokens =
        @Sendable (
            String, Int64, @escaping @Sendable (Principal) -> Effect<EndpointResponse>
        ) -> Effect<EndpointResponse>

    package static let readRole = "userProfile.read"
    package static let writeRole = "userProfile.write"

    typealias Answer = Effect<EndpointResponse>

    let settings: Settings
    let directory: UserDirectory

    /// Handlers of its endpoints.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [.userProfile: { self.answer($0, now: $1) }]
    }

    package init(settings: Settings) {
        self.settings = settings
        directory = UserDirectory(users: settings.users)
    }

    /// Answers a request of a verified caller, or of a user token in header fields.
    private func answer(_ request: EndpointRequest, now: Int64) -> Answer {
        func values(_ name: String) -> [String] {
            request.fields.filter { $0.name.utf8.elementsEqual(name.lowercased().utf8) }.map(\.value)
        }
        let tokens = values(UserProfileEndpoints.userTokenField)
        guard !tokens.isEmpty else { return handle(request, realm: request.principal.flatMap(settings.realm)) }
        // With two credentials, neither counts.
        guard let userTokens = settings.userTokens, tokens.count == 1, request.authorization.isEmpty,
            values("X-Idaas-Rest-Subject-Type").allSatisfy({ $0.isExactly("TOKEN") })
        else { return .done(ProfileRefusal(.bearerRequired).response) }
        return userTokens(tokens[0], now) { [self] principal in
            var request = request
            request.principal = principal
            return handle(request, realm: settings.realm(principal))
        }
    }

    /// An authenticated request.
    struct Call: Sendable {
        let request: EndpointRequest
        let caller: ProfileCaller
        var realm: String { caller.realm }
    }

    /// Answers a request below `path` with a verified caller. Called on an event loop.
    ///
    /// - Parameter realm: the caller's; nil if unknown.
    func handle(_ request: EndpointRequest, realm: String?) -> Answer {
        do throws(ProfileRefusal) {
            guard let principal = request.principal, principal.method == .bearer, principal.kind != .anonymous else {
                throw ProfileRefusal(.bearerRequired)
            }
            guard principal.webgate == nil else { throw ProfileRefusal(.wrongWebgate) }
            // The token is for other resources.
            guard principal.resources.isEmpty else { throw ProfileRefusal(.bearerRequired) }
            guard let path = ProfilePath(request.path) else { throw ProfileRefusal(.noSuchResource) }
            let isReading = request.method == .get || request.method == .head
            guard isReading || path.writingMethods.contains(request.method) else {
                let methods = ["GET", "HEAD"] + path.writingMethods.compactMap { $0.name.map { "\($0)" } }
                return .done(.methodNotAllowed(methods.joined(separator: ", ")))
            }
            guard let realm else { throw ProfileRefusal(.unknownRealm) }
            let caller = ProfileCaller(principal, realm: realm, settings)
            if !isReading {
                guard caller.mayWrite else { throw ProfileRefusal(.rightMissing) }
                guard !principal.isReadOnly else { throw ProfileRefusal(.readOnlyToken) }
            }
            let call = Call(request: request, caller: caller)
            return isReading ? try read(path, call) : try write(path, call)
        } catch {
            return .done(error.response)
        }
    }

    private func read(_ path: ProfilePath, _ call: Call) throws(ProfileRefusal) -> Answer {
        guard call.caller.mayRead || path.isOfOnePerson else { throw ProfileRefusal(.rightMissing) }
        return switch path {
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
        // Writing has no parameters.
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

    // MARK: Users

    /// Runs a scan of all users, away from the event loop if there are many.
    func scan(_ work: @escaping @Sendable () -> EndpointResponse) -> Answer {
        directory.isLarge ? .offload { .done(work()) } : .done(work())
    }

    /// The user of this id, if the caller may see it.
    func person(_ id: String, _ call: Call) throws(ProfileRefusal) -> User {
        guard call.caller.mayRead || call.caller.isSame(id) else { throw ProfileRefusal(.rightMissing) }
        return try existingUser(id, call)
    }

    func existingUser(_ id: String, _ call: Call) throws(ProfileRefusal) -> User {
        guard let user = settings.users.user(named: id, realm: call.realm) else {
            throw ProfileRefusal(.unknownPerson)
        }
        return user
    }
}

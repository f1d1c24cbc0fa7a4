import Bytes
import HTTP

/// A resource below `/oic_rest/rest/userprofile/`.
enum ProfilePath: Sendable, Equatable {
    case people
    case person(String)
    case attribute(String, of: String)
    case manager(of: String)
    case reports(of: String)
    case groups
    case group(String)
    case members(of: String)
    case member(String, of: String)

    /// - Parameter path: canonical, so that percent-encoded characters are no delimiters.
    init?(_ path: String) {
        guard let parts = PathSegment.decode(path, behind: UserProfileEndpoints.profilesPath) else { return nil }
        func isAt(_ place: Int, _ word: String) -> Bool { parts[place].isExactly(word) }
        switch parts.count {
        case 1 where isAt(0, "people"): self = .people
        case 1 where isAt(0, "groups"): self = .groups
        case 2 where isAt(0, "people"): self = .person(parts[1])
        case 2 where isAt(0, "groups"): self = .group(parts[1])
        case 3 where isAt(0, "people") && isAt(2, "manager"): self = .manager(of: parts[1])
        case 3 where isAt(0, "people") && isAt(2, "reports"): self = .reports(of: parts[1])
        case 3 where isAt(0, "groups") && isAt(2, "members"): self = .members(of: parts[1])
        case 4 where isAt(0, "people") && isAt(2, "attributes"): self = .attribute(parts[3], of: parts[1])
        case 4 where isAt(0, "groups") && isAt(2, "members"): self = .member(parts[3], of: parts[1])
        default: return nil
        }
    }

    static func person(_ id: String) -> String {
        "\(UserProfileEndpoints.profilesPath)people/\(PathSegment.encode(id))"
    }
    static func group(_ name: String) -> String {
        "\(UserProfileEndpoints.profilesPath)groups/\(PathSegment.encode(name))"
    }

    /// Whether users may read it of themselves without the role.
    var isOfOnePerson: Bool {
        switch self {
        case .person, .attribute, .member: true
        case .people, .manager, .reports, .groups, .group, .members: false
        }
    }

    /// The methods beside GET and HEAD.
    var writingMethods: [Method] {
        switch self {
        case .people, .groups: [.post]
        case .person, .group: [.put, .patch, .delete]
        case .member: [.put, .delete]
        case .attribute, .manager, .reports, .members: []
        }
    }
}

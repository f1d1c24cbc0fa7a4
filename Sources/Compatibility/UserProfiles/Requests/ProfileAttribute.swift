import Bytes
import Model

/// The attributes of a profile, by the names that existing clients use (oam-wire 5). Credentials and rights are no
/// attributes, so they cannot be read, written or searched (UPS-04).
package enum ProfileAttribute: String, Sendable, CaseIterable {
    /// The name of the user: `id` in UPS-01, `uid` for clients.
    case id, uid
    case uri
    case mail, firstName, lastName
    case displayName, title, description, mobile, telephoneNumber, postalAddress, country, photo
    /// The name of another user (UPS-07) and the URI of that profile.
    case manager, managerURI
    /// URI of the list of direct reports.
    case reports

    init?(exactly name: String) {
        guard let found = ProfileAttribute.allCases.first(where: { $0.rawValue.isExactly(name) }) else { return nil }
        self = found
    }

    /// Name in `users.json`; nil for an attribute that cannot be written.
    var storedName: String? {
        switch self {
        case .id, .uid, .uri, .managerURI, .reports: nil
        case .mail: "email"
        case .firstName, .lastName, .displayName, .title, .description, .mobile, .telephoneNumber, .postalAddress,
            .country, .photo, .manager:
            rawValue
        }
    }

    var isSearchable: Bool { storedName != nil || self == .id || self == .uid }

    func value(of user: User) -> String? {
        switch self {
        case .id, .uid: return user.username
        case .uri: return ProfilePath.person(user.username)
        case .reports: return ProfilePath.person(user.username) + "/reports"
        case .managerURI: return user.attributes["manager"].map(ProfilePath.person)
        case .mail: return user.email.isEmpty ? nil : user.email
        case .firstName: return user.firstName.isEmpty ? nil : user.firstName
        case .lastName: return user.lastName.isEmpty ? nil : user.lastName
        case .displayName, .title, .description, .mobile, .telephoneNumber, .postalAddress, .country, .photo,
            .manager:
            return user.attributes[rawValue]
        }
    }

    /// Longest value, in bytes.
    package static let longestValue = 1024

    /// Whether this is a valid value.
    func takes(_ value: String) -> Bool {
        let bytes = value.utf8
        guard !bytes.isEmpty, bytes.count <= ProfileAttribute.longestValue,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return false }
        guard self == .mail else { return true }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !bytes.contains(0x20)
    }
}

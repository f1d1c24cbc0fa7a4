import Bytes
import HTTP
import Identity
import Model

/// What a profile has, by the names of the accessors that clients in the field know (oam-wire 5). Credentials and rights
/// are none of them, so that they can be neither read nor written, nor looked for (UPS-04).
package enum ProfileAttribute: String, Sendable, CaseIterable {
    /// The name of the user, under the two names of UPS-01 and of the clients.
    case id, uid
    /// Where the profile is.
    case uri
    case mail, firstName, lastName
    case displayName, title, description, mobile, telephoneNumber, postalAddress, country, photo
    /// The name of another user (UPS-07), and where that one's profile is.
    case manager, managerURI
    /// Where the profiles of those are whose manager it is.
    case reports

    init?(exactly name: String) {
        guard let found = ProfileAttribute.allCases.first(where: { $0.rawValue.isExactly(name) }) else { return nil }
        self = found
    }

    /// What `users.json` calls it; nil for what cannot be written.
    var storedName: String? {
        switch self {
        case .id, .uid, .uri, .managerURI, .reports: nil
        case .mail: "email"
        case .firstName, .lastName, .displayName, .title, .description, .mobile, .telephoneNumber, .postalAddress,
            .country, .photo, .manager:
            rawValue
        }
    }

    /// Whether users can be looked for by it.
    var isSearchable: Bool { storedName != nil || self == .id || self == .uid }

    /// The value that a user has; nil for none.
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

    /// Whether it may have this value.
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

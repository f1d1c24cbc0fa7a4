import Bytes
import Endpoints
import Identity
import Model

/// The body of a POST, PUT or PATCH on people: a flat object of attributes (UPS-03, oam-wire 5).
///
/// Clients read a profile, change a member and send all of it back, so members that repeat current values are ignored.
/// Every other member that cannot be written is refused, above all credentials and rights.
struct PersonBody: Sendable {
    /// From `id` or `uid`.
    private(set) var id: String?
    private(set) var password: String?
    private var values: [(attribute: ProfileAttribute, value: String?)] = []

    /// - Parameter user: the user to change; nil for a new user, the only case in which a password is accepted.
    init(_ request: EndpointRequest, of user: User?) throws(ProfileRefusal) {
        for member in try PersonBody.members(request) {
            if let attribute = ProfileAttribute(exactly: member.name) {
                try take(attribute, member, of: user)
            } else if user == nil, member.name.isExactly("password") {
                password = try PersonBody.text(member)
                if let password, !User.canHavePassword(password) {
                    throw ProfileRefusal(.invalidAttribute, member.name)
                }
            } else {
                throw ProfileRefusal(.attributeRefused, member.name)
            }
        }
    }

    /// The members of the JSON object; the JSON reader refuses duplicates.
    static func members(_ request: EndpointRequest) throws(ProfileRefusal) -> [JSONMember] {
        guard request.hasJSONBody else { throw ProfileRefusal(.unsupportedMediaType) }
        guard let members = (try? JSONNode.parse(request.body.span, maximumDepth: 4))?.members else {
            throw ProfileRefusal(.malformedBody)
        }
        return members
    }

    /// The text of a member; nil for null.
    static func text(_ member: JSONMember) throws(ProfileRefusal) -> String? {
        if member.node.isNull { return nil }
        guard let text = member.node.string else { throw ProfileRefusal(.invalidAttribute, member.name) }
        return text
    }

    private mutating func take(
        _ attribute: ProfileAttribute, _ member: JSONMember, of user: User?
    ) throws(ProfileRefusal) {
        let value = try PersonBody.text(member)
        guard attribute.storedName != nil else {
            if user == nil, attribute == .id || attribute == .uid {
                guard let value, UserProfileService.isName(value, maximumBytes: 128), id?.isExactly(value) ?? true
                else {
                    throw ProfileRefusal(.invalidAttribute, member.name)
                }
                id = value
                return
            }
            guard let value, let known = user.flatMap(attribute.value), value.isExactly(known) else {
                throw ProfileRefusal(.attributeRefused, member.name)
            }
            return
        }
        if let value, !attribute.takes(value) { throw ProfileRefusal(.invalidAttribute, member.name) }
        values.append((attribute, value))
    }

    /// The new value of an attribute; nil if it is removed or not named.
    subscript(_ attribute: ProfileAttribute) -> String? { values.first { $0.attribute == attribute }?.value }

    /// The values to set.
    ///
    /// - Parameter isWhole: whether absent attributes are removed.
    func changes(isWhole: Bool) -> [ProfileValue] {
        var changes = values
        if isWhole {
            for attribute in ProfileAttribute.allCases where !values.contains(where: { $0.attribute == attribute }) {
                changes.append((attribute, nil))
            }
        }
        return changes.compactMap { change in change.attribute.storedName.map { ProfileValue($0, change.value) } }
    }
}

extension User {
    /// The user with these values of a profile.
    func with(_ values: [ProfileValue]) -> User {
        var user = self
        for value in values {
            switch value.name {
            case "email": user.email = value.value ?? ""
            case "firstName": user.firstName = value.value ?? ""
            case "lastName": user.lastName = value.value ?? ""
            default: user.attributes[value.name] = value.value
            }
        }
        return user
    }
}

import Bytes
import Endpoints
import Identity
import Model

/// The body of a POST, PUT or PATCH on people: a flat object of attributes (UPS-03, oam-wire 5).
///
/// Clients read a profile, change a member and send the whole of it back, so that members which say what is so already
/// are no change. Everything else that cannot be written is refused, above all credentials and rights: nobody gives
/// himself a role by a member that was not meant for it.
struct PersonBody: Sendable {
    /// In `id` or `uid`; nil for none.
    private(set) var id: String?
    /// In the clear; nil for none.
    private(set) var password: String?
    private var values: [(attribute: ProfileAttribute, value: String?)] = []

    /// - Parameter user: whom it is about; nil where a user is to be made, which alone may have a password.
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

    /// The members of the object; the reader refuses one that comes twice.
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

    /// The value of an attribute that is to have one.
    subscript(_ attribute: ProfileAttribute) -> String? { values.first { $0.attribute == attribute }?.value }

    /// What is to be set.
    ///
    /// - Parameter isWhole: whether attributes that are not there are to go.
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
    /// A user with these values of a profile.
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

import Bytes
import Crypto
import Identity
import Model

/// The body of a PUT on a user object: what is to become of a user (AOM-18, AOM-20).
///
/// Clients read an object, change a member and send the whole of it back, so that members which say what is so already
/// are no change. Everything else that is not understood is refused: nobody is to believe it was done.
struct UserObjectChange: Sendable, Equatable {
    /// A manual token.
    var sessionToken: String?
    var password: String?

    struct Refusal: Error, Equatable {
        var expected: String
    }

    /// AOM-18 has 8 to 256 as a decision of its own, marked `[D]`, and is checked by vector Y12, which sets one of seven.
    /// The decisions of section 0 are silent, and of a rule and the example that it is held against the example is what
    /// clients would meet: seven is the least.
    static let tokenLengths = 7...256

    init(_ body: [UInt8], of user: User, _ userClass: Application.UserClass) throws(Refusal) {
        guard let object = try? JSONNode.parse(body.span, maximumDepth: 8), let members = object.members else {
            throw Refusal(expected: "a JSON object is expected")
        }
        guard let type = object["@type"]?.string, type.utf8.elementsEqual(userClass.type.utf8) else {
            throw Refusal(expected: "\"@type\" is to be \"\(userClass.type)\"")
        }
        for member in members {
            switch member.name {
            case "@type": break
            case "sessionToken": sessionToken = try UserObjectChange.sessionToken(member.node)
            case "password": password = try UserObjectChange.password(member.node)
            default: try UserObjectChange.check(member, against: user)
            }
        }
    }

    private static func sessionToken(_ node: JSONNode) throws(Refusal) -> String? {
        if node.value == .null { return nil }
        guard let token = node.string, isManualToken(Array(token.utf8).span) else {
            throw Refusal(expected: "\"sessionToken\" is to be 7 to 256 visible ASCII characters")
        }
        return token
    }

    /// Whether a text can be a manual token.
    static func isManualToken(_ text: Span<UInt8>) -> Bool {
        guard tokenLengths.contains(text.count) else { return false }
        for i in text.indices where text[i] <= ASCII.space || text[i] >= 0x7f { return false }
        return true
    }

    static func password(_ node: JSONNode?) throws(Refusal) -> String? {
        guard let node, node.value != .null else { return nil }
        guard let password = node.string, User.canHavePassword(password) else {
            throw Refusal(expected: "\"password\" is to be text without control characters")
        }
        return password
    }

    private static func check(_ member: JSONMember, against user: User) throws(Refusal) {
        let known =
            switch member.name {
            case "id", "userName": user.username
            case "email": user.email
            case "firstName": user.firstName
            case "lastName": user.lastName
            default: ""
            }
        let value = member.node.value == .null ? "" : member.node.string
        guard let value, value.utf8.elementsEqual(known.utf8) || value.isEmpty else {
            throw Refusal(expected: "only \"sessionToken\" and \"password\" can be changed")
        }
    }
}

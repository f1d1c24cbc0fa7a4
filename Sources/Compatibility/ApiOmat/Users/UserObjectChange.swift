import Bytes
import Identity
import Model

/// The body of a PUT on a user object (AOM-18, AOM-20).
///
/// Clients read an object, change a member and send all of it back, so members that repeat current values are ignored.
/// Every other member is refused, so that no client takes an ignored change for a completed one.
struct UserObjectChange: Sendable, Equatable {
    /// A manual token.
    var sessionToken: String?
    var password: String?

    struct Refusal: Error, Equatable {
        var expected: String
    }

    /// Lengths of manual tokens. AOM-18 says 8 to 256, but its vector Y12 sets a token of seven.
    static let tokenLengths = 7...256

    init(_ body: [UInt8], of user: User, _ userClass: Application.UserClass) throws(Refusal) {
        let object = try UserObjectChange.object(body)
        try UserObjectChange.check(type: object["@type"], userClass)
        for member in object.members ?? [] {
            switch member.name {
            case "@type": break
            case "sessionToken": sessionToken = try UserObjectChange.sessionToken(member.node)
            case "password": password = try UserObjectChange.password(member.node)
            default: try UserObjectChange.check(member, against: user)
            }
        }
    }

    fileprivate static func object(_ body: [UInt8]) throws(Refusal) -> JSONNode {
        guard let object = try? JSONNode.parse(body.span, maximumDepth: 8), object.members != nil else {
            throw Refusal(expected: "a JSON object is expected")
        }
        return object
    }

    fileprivate static func check(type: JSONNode?, _ userClass: Application.UserClass) throws(Refusal) {
        guard let type = type?.string, type.isExactly(userClass.type) else {
            throw Refusal(expected: "\"@type\" must be \"\(userClass.type)\"")
        }
    }

    private static func sessionToken(_ node: JSONNode) throws(Refusal) -> String? {
        if node.isNull { return nil }
        guard let token = node.string, isManualToken(Array(token.utf8).span) else {
            throw Refusal(expected: "\"sessionToken\" must be 7 to 256 visible ASCII characters")
        }
        return token
    }

    /// Whether a text can be a manual token.
    static func isManualToken(_ text: Span<UInt8>) -> Bool {
        guard tokenLengths.contains(text.count) else { return false }
        for i in text.indices where text[i] <= ASCII.space || text[i] >= 0x7f { return false }
        return true
    }

    fileprivate static func password(_ node: JSONNode?) throws(Refusal) -> String? {
        guard let node, !node.isNull else { return nil }
        guard let password = node.string, User.canHavePassword(password) else {
            throw Refusal(expected: "\"password\" must be text without control characters")
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
        let value = member.node.isNull ? "" : member.node.string
        guard let value, value.isExactly(known) || value.isEmpty else {
            throw Refusal(expected: "only \"sessionToken\" and \"password\" can be changed")
        }
    }
}

/// The body of a sign-up: `{"userName", "password"}` (AOM-26).
struct SignUp: Sendable, Equatable {
    let name: String
    let password: String

    init(_ body: [UInt8], _ userClass: Application.UserClass) throws(UserObjectChange.Refusal) {
        typealias Refusal = UserObjectChange.Refusal
        let object = try UserObjectChange.object(body)
        for member in object.members ?? [] where !["@type", "userName", "password"].contains(member.name) {
            throw Refusal(expected: "only \"userName\" and \"password\" can be given")
        }
        if let type = object["@type"] { try UserObjectChange.check(type: type, userClass) }
        // The name is sent to upstreams in fields, and a colon would end it in Basic (RFC 7617 section 2).
        guard let name = object["userName"]?.string, !name.isEmpty, name.utf8.count <= 128,
            ExternalIdentityRules.isFitForHeaders(name), !name.utf8.contains(ASCII.colon)
        else { throw Refusal(expected: "\"userName\" must be a name of at most 128 bytes without a colon") }
        guard let password = try UserObjectChange.password(object["password"]) else {
            throw Refusal(expected: "\"password\" is missing")
        }
        self.name = name
        self.password = password
    }
}

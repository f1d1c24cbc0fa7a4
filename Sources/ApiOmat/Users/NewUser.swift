import Bytes
import Identity
import Model

/// The body of a sign-up: `{"userName", "password"}` (AOM-26).
struct NewUser: Sendable, Equatable {
    let name: String
    let password: String

    init(_ body: [UInt8], _ userClass: Application.UserClass) throws(UserObjectChange.Refusal) {
        typealias Refusal = UserObjectChange.Refusal
        guard let object = try? JSONNode.parse(body.span, maximumDepth: 8), let members = object.members else {
            throw Refusal(expected: "a JSON object is expected")
        }
        for member in members where !["@type", "userName", "password"].contains(member.name) {
            throw Refusal(expected: "only \"userName\" and \"password\" can be given")
        }
        if let type = object["@type"] {
            guard let type = type.string, type.utf8.elementsEqual(userClass.type.utf8) else {
                throw Refusal(expected: "\"@type\" is to be \"\(userClass.type)\"")
            }
        }
        // The name goes into fields for the upstream, and a colon would end it in Basic (RFC 7617 section 2).
        guard let name = object["userName"]?.string, !name.isEmpty, name.utf8.count <= 128,
            ExternalIdentityRules.isFitForHeaders(name), !name.utf8.contains(ASCII.colon)
        else { throw Refusal(expected: "\"userName\" is to be a name of at most 128 bytes without a colon") }
        guard let password = try UserObjectChange.password(object["password"]) else {
            throw Refusal(expected: "\"password\" is missing")
        }
        self.name = name
        self.password = password
    }
}

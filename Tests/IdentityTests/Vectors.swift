import Bytes
import Crypto
import Foundation
import Identity
import Testing

/// One case of a vector file, as JSON; named by its id in test reports.
struct Vector: Sendable, CustomTestStringConvertible {
    let id: String
    let node: JSONNode
    /// The file's members around the cases.
    let file: JSONNode

    var testDescription: String { id }

    var claims: JSONNode { node["claims"] ?? JSONNode(.object([])) }
    var issuer: JSONNode { node["issuer"] ?? JSONNode(.object([])) }

    static func all(_ name: String) -> [Vector] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let contents = try? Data(contentsOf: root.appending(path: "Fixtures/identity/\(name)")),
            let file = try? JSONNode.parse(Array(contents).span)
        else { fatalError("Tests/Fixtures/identity/\(name) can't be read") }
        return (file["cases"]?.array ?? []).map { Vector(id: $0["id"]?.string ?? "?", node: $0, file: file) }
    }
}

extension JSONNode {
    var strings: [String] { (array ?? []).compactMap(\.string) }
}

extension RoleMapping {
    /// The role members of an issuer object.
    init(issuer: JSONNode) {
        self.init(
            roleAttributes: issuer["roleAttributes"]?.strings ?? [],
            mappings: (issuer["roleMappings"]?.array ?? []).map {
                Entry(tokenRole: $0["tokenRole"]?.string, mappedRoles: $0["mappedRoles"]?.strings)
            },
            defaultRoles: issuer["defaultRoles"]?.strings ?? [], issuerRoles: issuer["issuerRoles"]?.strings ?? [])
    }
}

extension ExternalIdentityRules {
    /// An issuer object as the configuration reads it; nil where that is an error.
    init?(issuer: JSONNode) {
        let mappingName = issuer["userMappingAttribute"]?.string ?? "uid"
        guard let mapping = UserMapping(rawValue: mappingName) else { return nil }
        self.init(
            usernameAttribute: issuer["usernameAttribute"]?.string,
            clientIDAttribute: issuer["clientIdAttribute"]?.string,
            virtualUserEnabled: issuer["virtualUserEnabled"]?.bool ?? false, userMapping: mapping,
            roleMapping: RoleMapping(issuer: issuer))
    }
}

func json(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8).span) }

func store(_ users: [User]) -> UserStore { UserStore(users: users, hasher: PasswordHasher()) }

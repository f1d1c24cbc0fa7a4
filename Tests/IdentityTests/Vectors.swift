import Bytes
import Crypto
import Foundation
import Identity
import Model
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
        guard let file = try? JSONNode.parse(fixture(name).span) else { fatalError("\(name) is no JSON") }
        return (file["cases"]?.array ?? file.array ?? []).map {
            Vector(id: $0["id"]?.string ?? "?", node: $0, file: file)
        }
    }
}

/// The contents of a file of `Tests/Fixtures/identity`.
func fixture(_ name: String) -> [UInt8] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    guard let contents = try? Data(contentsOf: root.appending(path: "Fixtures/identity/\(name)")) else {
        fatalError("Tests/Fixtures/identity/\(name) can't be read")
    }
    return Array(contents)
}

extension JSONNode {
    var strings: [String] { (array ?? []).compactMap(\.string) }

    /// The object with further members in front; those of the same name are replaced.
    func adding(_ members: [(String, JSONNode)]) -> JSONNode {
        let added = members.map { JSONMember(name: $0.0, node: $0.1) }
        let others = (self.members ?? []).filter { old in !added.contains { $0.name == old.name } }
        return JSONNode(.object(added + others))
    }

    static func text(_ text: String) -> JSONNode { JSONNode(.string(text)) }
}

extension AssertionPolicy {
    static let standardCatalogue = RoleCatalogue(["Manager", "Clerk", "Auditor", "Guest", "Employee"])

    /// A policy with one issuer: `https://idp.example.com`, whose key is that of `idp-cert.pem`, and these members.
    init(issuer: JSONNode, lifetime: TokenLifetime = TokenLifetime(), catalogue: RoleCatalogue = standardCatalogue) {
        let whole = JSONNode(.object([])).adding([
            ("issuerName", .text("https://idp.example.com")),
            ("certificateSubjectNames", JSONNode(.array([.text("CN=idp.example.com,O=Example")]))),
        ]).adding((issuer.members ?? []).map { ($0.name, $0.node) })
        self.init(
            JSONNode(.object([])).adding([("issuers", JSONNode(.array([whole])))]), baseURL: "https://gw.example.com",
            lifetime: lifetime, catalogue: catalogue)
    }

    init(_ text: String) throws {
        self.init(
            try json(text), baseURL: "https://gw.example.com", lifetime: TokenLifetime(),
            catalogue: AssertionPolicy.standardCatalogue)
    }

    /// The first issuer, where it is sound.
    var first: AssertionIssuer? { entries.first?.issuer }
}

extension ExternalIdentityRules {
    /// The rules of an issuer object as the configuration reads it; nil where that is an error.
    init?(issuer: JSONNode) {
        guard let first = AssertionPolicy(issuer: issuer).first else { return nil }
        self = first.rules
    }
}

func json(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8).span) }

func store(_ users: [User]) -> UserStore { UserStore(users: users, hasher: PasswordHasher()) }

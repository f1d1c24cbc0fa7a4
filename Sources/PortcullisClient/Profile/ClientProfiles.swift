import Bytes
import ClientStore
import Reactor

/// The `profiles` of a `client.json` by name: an application with several kinds of logins has a backend for each
/// (FB-09).
public struct ClientProfiles: Sendable {
    /// The default profile.
    public static let usual = "default"

    private var members: [JSONMember]
    private let name: String

    /// Nil for a file with a single unnamed profile.
    /// - Parameter name: name of the file in errors.
    init?(_ root: JSONNode, _ name: String) throws(ClientError) {
        guard let profiles = root["profiles"] else { return nil }
        if let other = root.members?.first(where: { $0.name != "profiles" && $0.name != "$schema" }) {
            throw ClientError(.invalidProfile, "\(name): /\(other.name): unknown member beside /profiles")
        }
        guard let members = profiles.members else {
            throw ClientError(.invalidProfile, "\(name): /profiles: expected an object of profiles by name")
        }
        for member in members where !ClientProfiles.isName(member.name) || member.node.members == nil {
            throw ClientError(
                .invalidProfile,
                "\(name): /profiles/\(member.name): expected a profile by a name of letters, digits, - and _")
        }
        self.members = members
        self.name = name
    }

    /// Whether a text is a valid profile name, which is also the name of a directory.
    public static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2d || $0 == 0x5f }
    }

    func profile(_ name: String) throws(ClientError) -> JSONNode {
        if let member = members.first(where: { $0.name == name }) { return member.node }
        let known = members.map(\.name).sorted().joined(separator: ", ")
        throw ClientError(.invalidProfile, "\(self.name): no profile \"\(name)\" (there are: \(known))")
    }

    /// The text of `client.json` with an added profile.
    /// - Parameter named: name in `profiles`; nil for the default.
    public static func text(
        putting profile: ClientProfile, named: String?, into file: String
    ) throws(ClientError) -> [UInt8] {
        let contents = try? FileSystem.read(file)
        guard let named else {
            // An unreadable file is replaced.
            guard let root = contents.flatMap({ try? ClientProfile.object($0, file) }) else { return profile.json }
            if root["profiles"] != nil { return try text(putting: profile, named: usual, into: file) }
            let members = try ClientProfile.object(profile.json, file).members ?? []
            return text(schema(of: root) + members)
        }
        let root = try ClientProfile.object(contents ?? Array(#"{"profiles":{}}"#.utf8), file)
        guard var profiles = try ClientProfiles(root, file) else {
            throw ClientError(.invalidProfile, "\(file) has one profile without a name; expected /profiles")
        }
        try profiles.set(named, profile)
        return text(schema(of: root) + [JSONMember(name: "profiles", node: JSONNode(.object(profiles.members)))])
    }

    /// The member by which editors find the schema.
    private static func schema(of root: JSONNode) -> [JSONMember] {
        (root.members ?? []).filter { $0.name == "$schema" }
    }

    private static func text(_ members: [JSONMember]) -> [UInt8] {
        let text = JSONNode(.object(members)).serialized
        return (try? JSONLayout.indented(text, by: 2)) ?? text
    }

    private mutating func set(_ name: String, _ profile: ClientProfile) throws(ClientError) {
        let node = try ClientProfile.object(profile.json, self.name)
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].node = node
        } else {
            members.append(JSONMember(name: name, node: node))
        }
    }
}

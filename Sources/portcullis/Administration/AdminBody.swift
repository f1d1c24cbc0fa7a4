import Bytes
import Configuration
import Gateway

/// The JSON object of a request. It is read to the letter: what an administrator believes to have set must not be lost
/// because of a misspelt member.
struct AdminBody {
    private let node: JSONNode

    /// - Parameter known: the members that the resource takes.
    init(_ request: AdminRequest, known: [String]) throws(AdminFailure) {
        let node: JSONNode
        do throws(JSONError) {
            node = try JSONNode.parse(request.body.span)
        } catch {
            throw .malformed("the body is not JSON: \(JSONProblem(error, in: request.body, file: "").text)")
        }
        guard let members = node.members else { throw .malformed("the body must be a JSON object") }
        for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            let near = Suggestion.nearest(to: member.name, among: known)
            throw .malformed(
                "unknown member \"\(member.name)\"; "
                    + (near.map { "did you mean \"\($0)\"?" } ?? "known are \(known.joined(separator: ", "))"))
        }
        self.node = node
    }

    subscript(_ name: String) -> JSONNode? { node[name] }
    var members: [JSONMember] { node.members ?? [] }

    /// Whether the member is there, be it null.
    func has(_ name: String) -> Bool { node[name] != nil }

    /// Nil where it is absent or null.
    func text(_ name: String) throws(AdminFailure) -> String? {
        guard let value = node[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformed("\"\(name)\" is to be a text") }
        return text
    }

    func required(_ name: String) throws(AdminFailure) -> String {
        guard let text = try text(name), !text.isEmpty else { throw .malformed("\"\(name)\" is missing") }
        return text
    }

    func flag(_ name: String) throws(AdminFailure) -> Bool? {
        guard let value = node[name], !value.isNull else { return nil }
        guard let flag = value.bool else { throw .malformed("\"\(name)\" is to be true or false") }
        return flag
    }

    /// The members of an object; nil where it is absent or null.
    func object(_ name: String) throws(AdminFailure) -> [JSONMember]? {
        guard let value = node[name], !value.isNull else { return nil }
        guard let members = value.members else { throw .malformed("\"\(name)\" is to be an object") }
        return members
    }

    func texts(_ name: String) throws(AdminFailure) -> [String]? {
        guard let value = node[name], !value.isNull else { return nil }
        let texts = value.array?.compactMap(\.string)
        guard let texts, texts.count == value.array?.count else {
            throw .malformed("\"\(name)\" is to be a list of texts")
        }
        return texts
    }
}

import Bytes
import Declaration
import Gateway

/// The JSON object of a request, read strictly: a misspelt member is an error, so that no setting is lost.
struct AdminBody {
    private let node: JSONNode

    /// - Parameter known: the members that the resource accepts.
    init(_ request: AdminRequest, known: [String]) throws(AdminFailure) {
        let node: JSONNode
        do throws(JSONError) {
            node = try JSONNode.parse(request.body.span)
        } catch {
            throw .malformed("the body is not JSON: \(JSONProblem(error, in: request.body, file: "").text)")
        }
        guard let members = node.members else { throw .malformed("the body must be a JSON object") }
        for member in members where !known.contains(where: { $0.isExactly(member.name) }) {
            throw .unknown("member", member.name, among: known)
        }
        self.node = node
    }

    subscript(_ name: String) -> JSONNode? { node[name] }

    /// Whether the member exists, possibly as null.
    func has(_ name: String) -> Bool { node[name] != nil }

    /// Nil if it is absent or null; so are the others.
    func text(_ name: String) throws(AdminFailure) -> String? { try value(name, "a text") { $0.string } }

    func required(_ name: String) throws(AdminFailure) -> String {
        guard let text = try text(name), !text.isEmpty else { throw .malformed("\"\(name)\" is missing") }
        return text
    }

    func flag(_ name: String) throws(AdminFailure) -> Bool? {
        try value(name, "true or false") { $0.bool }
    }

    /// The members of an object.
    func object(_ name: String) throws(AdminFailure) -> [JSONMember]? { try value(name, "an object") { $0.members } }

    func texts(_ name: String) throws(AdminFailure) -> [String]? {
        try value(name, "a list of texts") { node in
            let texts = node.array?.compactMap(\.string)
            return texts?.count == node.array?.count ? texts : nil
        }
    }

    private func value<Value>(
        _ name: String, _ expected: String, _ read: (JSONNode) -> Value?
    ) throws(AdminFailure) -> Value? {
        guard let node = node[name], !node.isNull else { return nil }
        guard let value = read(node) else { throw .malformed("\"\(name)\" must be \(expected)") }
        return value
    }
}

extension AdminRequest {
    /// Whether a parameter is `true`.
    func flag(_ name: String) -> Bool { parameter(name).map { $0.isExactly("true") } ?? false }
}

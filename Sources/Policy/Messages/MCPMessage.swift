import Bytes
import HTTP
import Model

/// A message of a client to an MCP server: JSON-RPC 2.0 as the specification of 2026-07-28 and those before it have it,
/// without the batches of 2025-03-26.
package struct MCPMessage: Sendable {
    /// A JSON-RPC error that the gateway answers.
    package struct Problem: Error, Equatable, Sendable {
        /// For requests that a rule refuses.
        package static let refused = -32_003
        /// `HeaderMismatch` of the specification.
        package static let fieldsDiffer = -32_020
        static let noJSON = -32_700
        package static let noRequest = -32_600
        static let badParameters = -32_602

        let code: Int
        package let detail: String
        /// The id of the request; nil where it has none, or is unknown.
        let id: JSONNode?

        package init(_ detail: String, code: Int = noRequest, id: JSONNode? = nil) {
            (self.detail, self.code, self.id) = (detail, code, id)
        }

        /// The body of the answer.
        package var answer: [UInt8] {
            JSONWriter.object { writer in
                writer.member("jsonrpc", "2.0")
                writer.member("id", id ?? JSONNode(.null))
                writer.member("error") { error in
                    error.member("code", code)
                    error.member("message", detail)
                }
            }
        }
    }

    /// What a request is about.
    package struct Subject: Sendable {
        package let kind: MCPRules.Kind
        /// The name of a tool or prompt, the URI of a resource.
        package let name: String
    }

    /// Nil for notifications and answers of the client.
    package let id: JSONNode?
    /// Empty for an answer of the client.
    package let method: String
    /// Nil for methods that no rule is about.
    package let subject: Subject?
    /// What a stream of events is to tell of: resources, each of them judged.
    package let subscriptions: [Subject]
    /// What `Mcp-Name` repeats.
    private let name: String?

    /// Reads a whole body. Refuses all that two readers could take for different messages.
    package init(_ body: Span<UInt8>) throws(Problem) {
        guard let node = try? JSONNode.parse(body) else {
            throw Problem("the body is no valid JSON", code: Problem.noJSON)
        }
        let id = node["id"]
        func problem(_ detail: String, code: Int = Problem.noRequest) -> Problem {
            Problem(detail, code: code, id: id?.isIdentifier == true ? id : nil)
        }
        guard node.members != nil else {
            throw problem(node.array == nil ? "the body is no JSON-RPC message" : "batches are not supported")
        }
        if node.imitates(["jsonrpc", "id", "method", "params", "result", "error"]) {
            throw problem("a member can be read in two ways")
        }
        guard node["jsonrpc"]?.string?.isExactly("2.0") == true, id?.isIdentifier != false else {
            throw problem("the body is no JSON-RPC message")
        }
        self.id = id
        let isAnswer = node["result"] != nil || node["error"] != nil
        guard let field = node["method"] else {
            guard isAnswer else { throw problem("the message has no method") }
            (method, subject, name, subscriptions) = ("", nil, nil, [])
            return
        }
        guard let method = field.string, !method.isEmpty, !isAnswer else {
            throw problem("the body is no JSON-RPC message")
        }
        self.method = method
        let params = node["params"]
        guard params == nil || params?.members != nil else {
            throw problem("\"params\" is no object", code: Problem.badParameters)
        }
        let uris = Place.subscriptions(params) ?? []
        subscriptions = uris.compactMap { uri in uri.string.map { Subject(kind: .resource, name: $0) } }
        guard subscriptions.count == uris.count else {
            throw problem("a subscription is no URI", code: Problem.badParameters)
        }
        guard let place = Place(of: method) else {
            (subject, name) = (nil, (params?["name"] ?? params?["uri"])?.string)
            return
        }
        guard let subject = place.subject(params) else {
            throw problem("\"params\" does not say what the request is about", code: Problem.badParameters)
        }
        self.subject = subject
        name = subject.name
    }

    /// Whether a field of the request says another method or name than the body. Fields that an upstream could take for
    /// one of these count as well.
    package func isContradicted(by headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        for i in 0..<headers.count where headers[i].token == .other {
            let field = bytes.slice(headers[i].name)
            let expected: String?
            if ManagedName.isAlias(field, of: MCPMessage.methodField.span) {
                expected = method
            } else if ManagedName.isAlias(field, of: MCPMessage.nameField.span) {
                expected = name
            } else {
                continue
            }
            guard let expected, MCPMessage.says(bytes.slice(headers[i].value), expected) else { return true }
        }
        return false
    }

    private static let methodField = Array("mcp-method".utf8)
    private static let nameField = Array("mcp-name".utf8)
    private static let opening = Array("=?base64?".utf8)
    private static let closing = Array("?=".utf8)

    /// Whether the value of a field, which may be encoded, is this text.
    private static func says(_ value: Span<UInt8>, _ text: String) -> Bool {
        let (start, end) = (opening.count, value.count - closing.count)
        guard start <= end, bytesEqual(value.extracting(first: start), opening.span),
            bytesEqual(value.extracting(end...), closing.span)
        else { return bytesEqual(value, text.utf8.span) }
        return Base64.decode(value.extracting(start..<end)).map { $0.elementsEqual(text.utf8) } ?? false
    }
}

/// Where a method names what it is about.
private enum Place {
    case member(String, MCPRules.Kind)
    /// The reference of a completion.
    case reference

    init?(of method: String) {
        // Servers that ignore case must not be asked for another method than the one that is judged.
        switch method.lowercased() {
        case "tools/call": self = .member("name", .tool)
        case "prompts/get": self = .member("name", .prompt)
        case "resources/read", "resources/subscribe", "resources/unsubscribe": self = .member("uri", .resource)
        case "completion/complete": self = .reference
        default: return nil
        }
    }

    /// The resources that a stream is to tell of (`subscriptions/listen`), at whichever place of the parameters; nil for none.
    static func subscriptions(_ params: JSONNode?) -> [JSONNode]? {
        params?.members?.lazy.compactMap { member in
            member.name.lowercased().isExactly("resourcesubscriptions")
                ? member.node.array ?? [member.node] : subscriptions(member.node)
        }.first
    }

    /// Nil where the parameters do not say it in exactly one way.
    func subject(_ params: JSONNode?) -> MCPMessage.Subject? {
        guard let params, !params.imitates(["name", "uri", "ref"]) else { return nil }
        switch self {
        case .member(let member, let kind):
            return params[member]?.string.map { MCPMessage.Subject(kind: kind, name: $0) }
        case .reference:
            guard let reference = params["ref"], !reference.imitates(["type", "name", "uri"]),
                let type = reference["type"]?.string
            else { return nil }
            let isPrompt = type.isExactly("ref/prompt")
            guard isPrompt || type.isExactly("ref/resource") else { return nil }
            return reference[isPrompt ? "name" : "uri"]?.string
                .map { MCPMessage.Subject(kind: isPrompt ? .prompt : .resource, name: $0) }
        }
    }
}

extension JSONNode {
    /// Whether it is the id of a request (JSON-RPC 2.0 section 4; MCP excludes null).
    fileprivate var isIdentifier: Bool {
        switch value {
        case .string, .number: true
        default: false
        }
    }

    /// Whether a reader that ignores case could take another member for one of these. Some fold letters beyond ASCII.
    fileprivate func imitates(_ names: [String]) -> Bool {
        members?.contains { member in
            member.name.utf8.contains { $0 >= 0x80 }
                || names.contains { !$0.isExactly(member.name) && $0.isExactly(member.name.lowercased()) }
        } ?? false
    }
}

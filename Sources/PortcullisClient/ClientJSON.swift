import Bytes

/// A JSON value as a server sent it. Numbers keep their text, and objects the order of their members.
public indirect enum ClientJSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([ClientJSON])
    case object([(name: String, value: ClientJSON)])

    public static func == (left: ClientJSON, right: ClientJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.isExactly(b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)):
            a.elementsEqual(b) { $0.name.isExactly($1.name) && $0.value == $1.value }
        default: false
        }
    }

    /// The member of an object with this name.
    public subscript(_ name: String) -> ClientJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.isExactly(name) }?.value
    }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as JSON text, with indentation.
    public var text: [UInt8] {
        let text = node.serialized
        return (try? JSONLayout.indented(text, by: 2)) ?? text
    }

    private var node: JSONNode {
        switch self {
        case .null: JSONNode(.null)
        case .bool(let flag): JSONNode(.bool(flag))
        case .number(let text): JSONNode(.number(text))
        case .string(let text): JSONNode(.string(text))
        case .array(let elements): JSONNode(.array(elements.map(\.node)))
        case .object(let members):
            JSONNode(.object(members.map { JSONMember(name: $0.name, node: $0.value.node) }))
        }
    }

    init(_ node: JSONNode) {
        switch node.value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(ClientJSON.init))
        case .object(let members): self = .object(members.map { ($0.name, ClientJSON($0.node)) })
        }
    }
}

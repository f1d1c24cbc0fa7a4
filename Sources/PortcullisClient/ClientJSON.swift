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
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)):
            a.elementsEqual(b) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value }
        default: false
        }
    }

    /// The member of an object with this name.
    public subscript(_ name: String) -> ClientJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as JSON text, with indentation.
    public var text: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return (try? JSONLayout.indented(writer.bytes, by: 2)) ?? writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let flag): writer.value(flag)
        case .number(let text): writer.value(json: Array(text.utf8).span)
        case .string(let text): writer.value(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.name(member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
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

extension JSONNode {
    package static func text(_ text: String) -> JSONNode { JSONNode(.string(text)) }
    package static func flag(_ flag: Bool) -> JSONNode { JSONNode(.bool(flag)) }
    package static func number(_ number: Int64) -> JSONNode { JSONNode(.number(String(number))) }
    package static func texts(_ texts: [String]) -> JSONNode { JSONNode(.array(texts.map { .text($0) })) }
    package static func object(_ members: [(name: String, value: JSONNode)]) -> JSONNode {
        JSONNode(.object(members.map { JSONMember(name: $0.name, node: $0.value) }))
    }

    /// The object with the members that it lacks; those without a value stay missing.
    package func completed(with usual: [(name: String, value: JSONNode?)]) -> JSONNode {
        let lacking = usual.compactMap { name, value in
            self[name] == nil ? value.map { JSONMember(name: name, node: $0) } : nil
        }
        return JSONNode(.object((members ?? []) + lacking))
    }

    /// The JSON text without white space.
    package var onOneLine: String { String(decoding: serialized, as: UTF8.self) }
}

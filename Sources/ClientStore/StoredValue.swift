import Bytes

/// A value that the credential store keeps as a JSON object.
package protocol StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore)
    /// The members of its object; those without a value are left out.
    var members: [(name: String, value: JSONNode?)] { get }
}

/// A stored text is not what the store writes.
package struct MalformedStore: Error {}

extension StoredValue {
    package var node: JSONNode {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension JSONNode {
    /// A member that the store always writes.
    package func stored<Value>(_ name: String, _ read: (JSONNode) -> Value?) throws(MalformedStore) -> Value {
        guard let value = self[name].flatMap(read) else { throw MalformedStore() }
        return value
    }

    /// A member that may be missing.
    package func storedIfAny<Value>(_ name: String, _ read: (JSONNode) -> Value?) throws(MalformedStore) -> Value? {
        guard let node = self[name], !node.isNull else { return nil }
        guard let value = read(node) else { throw MalformedStore() }
        return value
    }

    package func storedIfAny<Value: StoredValue>(_ name: String) throws(MalformedStore) -> Value? {
        guard let node = self[name], !node.isNull else { return nil }
        return try Value(node)
    }

    package func storedList<Value: StoredValue>(_ name: String) throws(MalformedStore) -> [Value] {
        var values: [Value] = []
        for node in try stored(name, \.array) { values.append(try Value(node)) }
        return values
    }

    package static func list(_ values: [some StoredValue]) -> JSONNode { JSONNode(.array(values.map(\.node))) }
    package static func text(ifAny text: String?) -> JSONNode? { text.map { .text($0) } }
}

import Bytes
import Declaration

/// A section of the configuration as text: a whole file or a member of `gateway.json`. Paths start at the section.
package struct SectionText: Sendable {
    /// Name of the file in the directory.
    package let file: String
    private var text: JSONText
    private let prefix: [JSONText.Step]
    /// The place of a variable of the environment that an edit would have replaced; nil for none.
    package private(set) var replacedVariable: String?

    /// - Parameters:
    ///   - file: the file's name.
    ///   - section: name of the section.
    package init(file: String, bytes: [UInt8], section: String) throws(JSONError) {
        self.file = file
        text = try JSONText(bytes, isJSONC: JSONC.isName(file))
        let isMember =
            Sources.gatewayFiles.contains(file) || (GatewayConfiguration.isList(section) && text.root[section] != nil)
        prefix = isMember ? [.member(section)] : []
    }

    /// The text of the whole file.
    package var bytes: [UInt8] { text.bytes }
    /// The text of the section alone.
    package var section: ArraySlice<UInt8> { text.text(at: prefix) }
    package var root: JSONNode { text.node(at: prefix) ?? JSONNode(.null) }

    package func node(at path: [JSONText.Step]) -> JSONNode? { text.node(at: prefix + path) }

    package mutating func set(_ name: String, of path: [JSONText.Step] = [], to value: JSONNode) {
        protect(path + [.member(name)])
        text.set(name, of: prefix + path, to: value.escapingVariables)
    }

    /// Sets a member, or removes it for nil.
    package mutating func put(_ name: String, of path: [JSONText.Step] = [], _ value: JSONNode?) {
        if let value { set(name, of: path, to: value) } else { remove(path + [.member(name)]) }
    }

    package mutating func replace(_ path: [JSONText.Step], with value: JSONNode) {
        protect(path)
        text.replace(prefix + path, with: value.escapingVariables)
    }

    package mutating func append(_ values: [JSONNode], to path: [JSONText.Step] = []) {
        text.append(values.map(\.escapingVariables), to: prefix + path)
    }

    /// Edits write values, and data: a variable would be lost, and its value written down.
    private mutating func protect(_ path: [JSONText.Step]) {
        guard node(at: path)?.hasVariables == true else { return }
        replacedVariable = path.map { step in
            switch step {
            case .member(let name): name
            case .element(let index): "\(index)"
            }
        }.joined(separator: "/")
    }

    package mutating func remove(_ path: [JSONText.Step]) { text.remove(prefix + path) }
}

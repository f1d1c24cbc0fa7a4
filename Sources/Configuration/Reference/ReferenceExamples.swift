import Bytes
import Declaration

/// Values of keys in a checked configuration, as examples of the reference.
package struct ReferenceExamples {
    /// A step from a file to a value.
    enum Step {
        case section(String)
        case member(String)
        /// Every element of a list, or every value of an object with free names.
        case any
        /// Only objects whose member has one of some values.
        case kind(String, [String])
    }

    /// Longest line, and most lines of an object.
    private static let width = 112
    private static let height = 7

    private var sections: [String: JSONNode] = [:]

    /// Reads the files `SECTION.json` of a directory. Files that are missing give no examples.
    /// - Throws: `UnreadableFile` without `gateway.json`, and `JSONError`.
    package init(directory: String, sections names: [String]) throws {
        sections[SectionForm.gatewayName] = try JSONNode.parse(
            FileText.read("\(directory)/gateway.json"), file: "gateway.json")
        for name in names where sections[name] == nil {
            if let text = try? FileText.read("\(directory)/\(name).json") {
                sections[name] = try JSONNode.parse(text, file: "\(name).json")
            }
        }
    }

    /// A short example of a key with its value, JSON without the braces around; nil if all values are long.
    func example(of key: ObjectForm.Key, at path: [Step]) -> String? {
        let values = nodes(at: path[...], in: [])
        let candidates = values.filter { $0 != key.standard } + values + standIns(for: key)
        for value in candidates {
            let shown = ReferenceExamples.masked(value, key.form, key.name)
            if let text = ReferenceExamples.short(shown, named: key.name) { return text }
        }
        return nil
    }

    /// Values of a key that the configuration cannot have beside others: its default, or a place of a secret.
    private func standIns(for key: ObjectForm.Key) -> [JSONNode] {
        if let standard = key.standard { return [standard] }
        return key.form.isSecret ? [.text("file:/run/secrets/\(key.name)")] : []
    }

    private func nodes(at path: ArraySlice<Step>, in nodes: [JSONNode]) -> [JSONNode] {
        guard let step = path.first else { return nodes }
        let next: [JSONNode] =
            switch step {
            case .section(let name): section(name).map { [$0] } ?? []
            // An object may stand for a list of one.
            case .member(let name): nodes.flatMap { $0.array ?? [$0] }.compactMap { $0[name] }
            case .any: nodes.flatMap { $0.array ?? $0.members?.filter { $0.name != "$schema" }.map(\.node) ?? [] }
            case .kind(let key, let words): nodes.filter { $0[key]?.string.map(words.contains) ?? false }
            }
        return self.nodes(at: path.dropFirst(), in: next)
    }

    /// A section in its own file, or in that of another one.
    private func section(_ name: String) -> JSONNode? {
        guard let own = sections[name] else {
            return sections.values.lazy.compactMap { $0[name] }.first
        }
        return own[name] ?? own
    }

    /// The value with placeholders for literal secrets.
    private static func masked(_ node: JSONNode, _ form: Form, _ name: String) -> JSONNode {
        if let text = node.string {
            return form.isSecret && SecretReference(in: text) == nil ? .text("file:/run/secrets/\(name)") : node
        }
        if let elements = node.array, let element = form.element {
            return JSONNode(
                .array(
                    elements.enumerated().map { index, node in
                        masked(node, element, index == 0 ? name : "\(name)-\(index + 1)")
                    }))
        }
        guard let members = node.members else { return node }
        return .object(members.map { ($0.name, masked($0.node, form.member($0.name) ?? .text, $0.name)) })
    }

    private static func short(_ node: JSONNode, named name: String) -> String? {
        let head = "\"\(name)\": "
        let text = head + line(node)
        if text.utf8.count <= width { return text }
        guard let members = node.members, members.count <= height - 2 else { return nil }
        let lines = members.map { "  \"\($0.name)\": \(line($0.node))" }
        if lines.contains(where: { $0.utf8.count > width }) { return nil }
        return "\(head){\n\(lines.joined(separator: ",\n"))\n}"
    }

    /// JSON on one line, with blanks between members and elements.
    static func line(_ node: JSONNode) -> String {
        if let members = node.members {
            if members.isEmpty { return "{}" }
            return "{ \(members.map { "\"\($0.name)\": \(line($0.node))" }.joined(separator: ", ")) }"
        }
        if let elements = node.array { return "[\(elements.map(line).joined(separator: ", "))]" }
        return node.onOneLine
    }
}

import Bytes

/// Replaces variables of the environment in the strings of the configuration: `${NAME}`, and `${NAME:-default}` for a
/// variable that is not set or empty. `$${NAME}` stands for the text `${NAME}`. Names are in upper case, so that the
/// placeholders of other texts, such as `${user}`, are left alone.
struct EnvironmentExpansion {
    /// A text that was replaced, as it is written.
    private(set) var written: [String: String] = [:]
    /// Errors by pointer.
    private(set) var problems: [(pointer: String, message: String, expected: String)] = []
    private let environment: [String: String]
    /// Names that files other than `gateway.json` may use; a `*` at the end stands for any rest.
    private let allowed: [String]

    /// The key of `gateway.json` with the names.
    static let key = "environment"

    /// - Parameter gateway: the root of `gateway.json`.
    init(_ environment: [String: String], gateway: JSONNode?) {
        self.environment = environment
        allowed = gateway?[EnvironmentExpansion.key]?.array?.compactMap(\.string) ?? []
    }

    /// The same sources with the values of variables.
    static func expand(_ sources: Sources, _ environment: [String: String]) -> (Sources, EnvironmentExpansion) {
        var expansion = EnvironmentExpansion(environment, gateway: sources.gateway?.root)
        var expanded = sources
        if let file = sources.gateway {
            expanded.gateway = file.part(expansion.expand(file.root, at: "", isOfGateway: true))
        }
        for (name, file) in sources.sections {
            expanded.sections[name] = file.part(expansion.expand(file.root, at: "/\(name)", isOfGateway: false))
        }
        return (expanded, expansion)
    }

    private mutating func expand(_ node: JSONNode, at pointer: String, isOfGateway: Bool) -> JSONNode {
        var node = node
        switch node.value {
        case .string(let text):
            guard text.contains("${") else { return node }
            let value = expand(text, at: pointer, isOfGateway)
            if value != text {
                written[pointer] = text
                node.value = .string(value)
            }
        case .array(let elements):
            node.value = .array(
                elements.enumerated().map {
                    expand($1, at: JSONPointer.child(pointer, "\($0)"), isOfGateway: isOfGateway)
                })
        case .object(let members):
            node.value = .object(
                members.map { member in
                    var member = member
                    member.node = expand(
                        member.node, at: JSONPointer.child(pointer, member.name), isOfGateway: isOfGateway)
                    return member
                })
        case .null, .bool, .number: break
        }
        return node
    }

    private mutating func expand(_ text: String, at pointer: String, _ isOfGateway: Bool) -> String {
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: /(\$?)\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/) {
            result += rest[..<match.range.lowerBound]
            rest = rest[match.range.upperBound...]
            let (_, escape, name, standard) = match.output
            if !escape.isEmpty {
                result += match.output.0.dropFirst()
            } else if !isOfGateway, !isAllowed(String(name)) {
                problems.append(
                    (
                        pointer, "this file may not use the environment variable \(name)",
                        "\"\(EnvironmentExpansion.key)\": [\"\(name)\"] in gateway.json"
                    ))
            } else if let value = environment[String(name)], !value.isEmpty || standard == nil {
                result += value
            } else if let standard {
                result += standard
            } else {
                problems.append(
                    (
                        pointer, "the environment variable \(name) is not set",
                        "a variable that is set, or \"${\(name):-default}\""
                    ))
            }
        }
        return result + rest
    }

    private func isAllowed(_ name: String) -> Bool { EnvironmentExpansion.isAllowed(name, allowed) }

    /// Whether a list of names has one.
    static func isAllowed(_ name: String, _ allowed: [String]) -> Bool {
        allowed.contains { $0.last == "*" ? name.hasPrefix($0.dropLast()) : $0 == name }
    }
}

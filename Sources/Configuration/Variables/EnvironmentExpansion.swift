import Bytes
import Declaration

/// Replaces variables of the environment in the strings of the configuration.
struct EnvironmentExpansion {
    private(set) var written = OriginalTexts()
    private(set) var problems: [(pointer: String, message: String, expected: String)] = []
    /// Variables that are not set.
    private(set) var unset: [(pointer: String, message: String, expected: String)] = []
    private let environment: [String: String]
    /// Names that files other than `gateway.json` may use; a `*` at the end stands for any rest.
    private let allowed: [String]

    /// The key of `gateway.json` with the names.
    static let key = "environment"

    private init(_ environment: [String: String], gateway: JSONNode?) {
        self.environment = environment
        allowed = gateway?[EnvironmentExpansion.key]?.array?.compactMap(\.string) ?? []
    }

    /// The same sources with the values of variables.
    static func expand(
        _ sources: Sources, _ environment: [String: String], extensions: [SectionExtension]
    ) -> (Sources, EnvironmentExpansion) {
        var expansion = EnvironmentExpansion(environment, gateway: sources.gateway?.root)
        var expanded = sources
        if let file = sources.gateway {
            expanded.gateway = file.part(expansion.expand(file.root, at: "", isOfGateway: true))
        }
        for (name, file) in sources.sections {
            expanded.sections[name] = file.part(expansion.expand(file.root, at: "/\(name)", isOfGateway: false))
        }
        OptionVariables.apply(environment, to: &expanded, &expansion.written, extensions: extensions)
        return (expanded, expansion)
    }

    private mutating func expand(_ node: JSONNode, at pointer: String, isOfGateway: Bool) -> JSONNode {
        var node = node
        switch node.value {
        case .string(let text):
            if VariableText.isMarked(text) { node.value = .string(expand(text, at: pointer, isOfGateway)) }
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
        var (result, hasVariable) = ("", false)
        for piece in VariableText(text).pieces {
            switch piece {
            case .text(let text): result += text
            case .malformed(let rest):
                return fail(
                    text, at: pointer, "\"\(rest)\" is not a variable", "\"${NAME}\", or \"$${\" for the text \"${\"")
            case .variable(let name, let standard):
                hasVariable = true
                guard isOfGateway || EnvironmentExpansion.isAllowed(name, allowed) else {
                    return fail(
                        text, at: pointer, "this file may not use the environment variable \(name)",
                        "\"\(EnvironmentExpansion.key)\": [\"\(name)\"] in gateway.json")
                }
                let value = environment[name]
                // Foundation replaces what is not UTF-8.
                if value?.contains("\u{FFFD}") == true {
                    return fail(text, at: pointer, "the environment variable \(name) is not UTF-8", "a text")
                }
                guard let value = value.flatMap({ $0.isEmpty ? standard ?? $0 : $0 }) ?? standard else {
                    unset.append(
                        (
                            pointer, "the environment variable \(name) is not set",
                            "a variable that is set, or \"${\(name):-default}\""
                        ))
                    written.fail(text, at: pointer)
                    return text
                }
                result += value
            }
        }
        if hasVariable { written.add(text, value: result, at: pointer) }
        return result
    }

    private mutating func fail(_ text: String, at pointer: String, _ message: String, _ expected: String) -> String {
        problems.append((pointer, message, expected))
        written.fail(text, at: pointer)
        return text
    }

    /// Whether a list of names has one.
    static func isAllowed(_ name: String, _ allowed: [String]) -> Bool {
        allowed.contains { $0.last == "*" ? name.hasPrefix($0.dropLast()) : $0 == name }
    }
}

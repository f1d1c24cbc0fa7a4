import Bytes
import Declaration

extension EnvironmentExpansion {
    /// Names of variables, or their beginnings with `*`.
    static let names = Shape.texts(.list(.pattern("^[A-Z_][A-Z0-9_]*[*]?$"))) { field in
        field.names("an array of names of variables") { element in
            let expected = "the name of a variable in upper case, such as \"API_HOST\" or \"API_*\""
            guard let text = element.text(expected) else { return nil }
            return text.wholeMatch(of: /[A-Z_][A-Z0-9_]*\*?/) == nil ? element.invalid(expected) : text
        }
    }

    /// The value of a variable that a text names by itself; nil if it is not set, or if the file may not use it.
    static func value(of name: String, for field: Field) -> String? {
        let (findings, section) = (field.findings, JSONPointer.segments(field.pointer).first ?? "")
        if findings.sources.sections[section] != nil {
            let allowed = findings.sources.gateway?.root[key]?.array?.compactMap(\.string)
            guard isAllowed(name, allowed ?? []) else { return nil }
        }
        return findings.secrets.constant(
            "env:\(name)", value: findings.secrets.environment[name], at: field.pointer)
    }
}

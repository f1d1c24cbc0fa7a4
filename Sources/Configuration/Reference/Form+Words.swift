import Bytes
import Declaration

extension Form {
    /// A short description of the form in Markdown.
    var words: String {
        switch self {
        case .flag: "`true` or `false`"
        case .integer(let range) where range.lowerBound == range.upperBound: "`\(range.lowerBound)`"
        case .integer(let range):
            range.upperBound == .max
                ? "number, at least \(range.lowerBound)" : "number from \(range.lowerBound) to \(range.upperBound)"
        case .text, .pattern: "text"
        case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .list(let element, _, _, _): "list: \(element.words)"
        case .object: "object"
        case .map(let value, _, _): "object of names: \(value.words)"
        case .either(let forms):
            forms.reduce(into: [String]()) { words, form in
                let word = forms.contains { $0.isElement(of: form) } ? "a list of these" : form.words
                if !words.contains(word) { words.append(word) }
            }
            .joined(separator: ", or ")
        case .named(let name, let form): Form.explained.contains(name) ? "[\(name)](README.md#values)" : form.words
        case .described(_, let form): form.words
        case .schema(let members):
            members.first { $0.name == "const" }.map { "`\(ReferenceExamples.line($0.node))`" }
                ?? members.first { $0.name == "$ref" }.flatMap { Form.sectionLink($0.node.string) }
                ?? Form.typeWords(members) ?? "any JSON"
        }
    }

    /// Forms that the index of the reference explains.
    static let explained = ["size", "duration", "seconds", "level", "role", "backend", "header", "secret"]

    private static func sectionLink(_ schema: String?) -> String? {
        guard let name = schema?.split(separator: "/").last?.split(separator: ".").first else { return nil }
        return "the section [`\(name)`](\(name).md)"
    }

    /// The types of a JSON Schema; nil without `type`.
    private static func typeWords(_ schema: [JSONMember]) -> String? {
        let type = schema.first { $0.name == "type" }?.node
        let names = type?.array?.compactMap(\.string) ?? (type?.string).map { [$0] }
        return names?.map { name in
            switch name {
            case "string": "text"
            case "boolean": Form.flag.words
            case "null": "`null`"
            case "integer": bounds(schema).map { Form.integer($0).words } ?? "number"
            default: name
            }
        }
        .joined(separator: ", or ")
    }

    private static func bounds(_ schema: [JSONMember]) -> ClosedRange<Int>? {
        let bounds = ["minimum", "maximum"].compactMap { name in schema.first { $0.name == name }?.node.integer }
        return bounds.count == 2 ? Int(bounds[0])...Int(bounds[1]) : nil
    }

    /// The discriminator of an object among alternatives: its first key and that key's values.
    var kind: (key: String, words: [String])? {
        guard case .object(let object) = self, let key = object.keys.first, case .choice(let words) = key.form,
            key.isRequired
        else { return nil }
        return (key.name, words)
    }

    /// Whether another form is a list of this one.
    func isElement(of other: Form) -> Bool {
        guard case .named(let name, _) = self, case .list(.named(let element, _), _, _, _) = other else { return false }
        return name == element
    }

    /// The forms directly below this one.
    private var parts: [Form] {
        switch self {
        case .object(let object): object.keys.map(\.form)
        case .list(let form, _, _, _), .map(let form, _, _), .named(_, let form), .described(_, let form): [form]
        case .either(let forms): forms
        case .flag, .integer, .text, .pattern, .choice, .schema: []
        }
    }

    /// How many keys the objects of the form have, nested ones included.
    var keyCount: Int {
        let own = if case .object(let object) = self { object.keys.count } else { 0 }
        return parts.reduce(own) { $0 + $1.keyCount }
    }

    /// A text that two forms share if the reference says the same about them.
    var signature: String {
        switch self {
        case .object(let object): "{\(object.keys.map(\.signature).joined(separator: ";"))}"
        case .either, .list, .map: "\(words)(\(parts.map(\.signature).joined(separator: "|")))"
        case .named, .described: parts[0].signature
        case .flag, .integer, .text, .pattern, .choice, .schema: words
        }
    }

    /// The form of a member of the objects that are allowed.
    func member(_ name: String) -> Form? {
        switch self {
        case .object(let object): object.keys.first { $0.name == name }?.form
        case .map(let value, _, _): value
        case .either, .named, .described: parts.lazy.compactMap { $0.member(name) }.first
        case .flag, .integer, .text, .pattern, .choice, .schema, .list: nil
        }
    }

    /// The form of elements of the lists that are allowed.
    var element: Form? {
        switch self {
        case .list(let element, _, _, _): element
        case .either, .named, .described: parts.lazy.compactMap(\.element).first
        case .flag, .integer, .text, .pattern, .choice, .schema, .object, .map: nil
        }
    }

    /// Whether a text is a secret.
    var isSecret: Bool {
        switch self {
        case .named("secret", _): true
        case .either, .named, .described: parts.contains(where: \.isSecret)
        case .flag, .integer, .text, .pattern, .choice, .schema, .list, .object, .map: false
        }
    }
}

extension ObjectForm.Key {
    /// A text that two keys share if the reference says the same about them.
    var signature: String {
        let standard = standard.map(ReferenceExamples.line) ?? ""
        return "\(name)=\(form.signature),\(standard),\(isRequired),\(meaning),\(facts.since ?? ""),\(facts.change)"
    }
}

import Bytes

/// Writes forms as tables of the reference, in Markdown.
struct ReferenceWriter {
    private var rows: [String] = []
    /// Variables by the names of keys.
    private var variables: [String: String] = [:]

    /// The chapter of a section.
    static func chapter(_ section: SectionForm) -> String {
        var writer = ReferenceWriter()
        let isGateway = section.name == SectionForm.gateway.name
        if isGateway {
            for (name, option) in OptionVariables(section.form).options {
                writer.variables[option.path.joined(separator: ".")] = name
            }
        }
        writer.add(section.form, at: "")
        return """
            ## `\(section.name)`

            \(section.meaning)

            | Key | Value | Default | Meaning |\(isGateway ? " Variable |" : "")
            |---|---|---|---|\(isGateway ? "---|" : "")
            \(writer.rows.joined(separator: "\n"))

            """
    }

    /// Adds the rows of all members of the objects within a form.
    private mutating func add(_ form: Form, at path: String) {
        switch form {
        case .object(let object):
            for key in object.keys {
                let name = path.isEmpty ? key.name : "\(path).\(key.name)"
                row(name, key)
                add(key.form, at: name)
            }
        case .list(let element, _, _, _): add(element, at: path.isEmpty ? "" : "\(path)[]")
        case .map(let value, _, _): add(value, at: path.isEmpty ? "NAME" : "\(path).NAME")
        case .either(let forms):
            // A value or a list of such values: the rows of the value describe both.
            for form in forms where !forms.contains(where: { $0.isElement(of: form) }) {
                if let kind = form.kind, forms.count(where: { $0.kind != nil }) > 1 {
                    rows.append("| **\(kind)** | | | |\(variables.isEmpty ? "" : " |")")
                }
                add(form, at: path)
            }
        case .named(_, let form), .described(_, let form): add(form, at: path)
        case .flag, .integer, .text, .pattern, .choice, .schema: break
        }
    }

    private mutating func row(_ name: String, _ key: ObjectForm.Key) {
        let standard =
            key.isRequired
            ? "required" : key.standard.map { "`\(String(decoding: $0.serialized, as: UTF8.self))`" } ?? ""
        rows.append(
            "| `\(name)` | \(ReferenceWriter.words(key.form)) | \(standard) | "
                + "\(key.meaning.replacing("|", with: "\\|")) |"
                + (variables.isEmpty ? "" : variables[name].map { " `\($0)` |" } ?? " |"))
    }

    /// A short description of a form.
    private static func words(_ form: Form) -> String {
        switch form {
        case .flag: "`true`, `false`"
        case .integer(let range) where range.lowerBound == range.upperBound: "`\(range.lowerBound)`"
        case .integer(let range):
            range.upperBound == .max
                ? "number, at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        case .text, .pattern: "text"
        case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .list(let element, _, _, _): "list: \(words(element))"
        case .object: "object"
        case .map(let value, _, _): "object of names: \(words(value))"
        case .either(let forms):
            forms.map { form in
                forms.contains { $0.isElement(of: form) } ? "a list of these" : words(form)
            }
            .joined(separator: ", or ")
        case .named(let name, let form):
            switch name {
            case "size", "duration", "seconds", "level", "role", "backend", "header", "secret": name
            default: words(form)
            }
        case .described(_, let form): words(form)
        case .schema(let members):
            members.first { $0.name == "const" }.map { "`\(String(decoding: $0.node.serialized, as: UTF8.self))`" }
                ?? "see below"
        }
    }
}

extension Form {
    /// The discriminator of an object among alternatives: its first key and that key's values.
    fileprivate var kind: String? {
        guard case .object(let object) = self, let key = object.keys.first, case .choice(let words) = key.form,
            key.isRequired
        else { return nil }
        return "\(key.name) \(words.map { "`\($0)`" }.joined(separator: ", "))"
    }

    /// Whether another form is a list of this one.
    fileprivate func isElement(of other: Form) -> Bool {
        guard case .named(let name, _) = self, case .list(.named(let element, _), _, _, _) = other else { return false }
        return name == element
    }
}

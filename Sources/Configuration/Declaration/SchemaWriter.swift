import Bytes
import Declaration

/// Writes forms as JSON Schema (draft 2020-12).
struct SchemaWriter {
    private var definitions: [(name: String, value: JSONNode)] = []

    /// The schema of a file.
    static func file(_ section: SectionForm) -> JSONNode {
        var writer = SchemaWriter()
        var members = [
            JSONMember("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            JSONMember("title", .text("Portcullis: \(section.name).json")),
            JSONMember("description", .text(Markdown.plain(section.meaning))),
        ]
        members += writer.root(section)
        if !writer.definitions.isEmpty { members.append(JSONMember("$defs", .object(writer.definitions))) }
        return JSONNode(.object(members))
    }

    /// A list may be the whole file or a member of an object with `$schema` and other sections.
    private mutating func root(_ section: SectionForm) -> [JSONMember] {
        let name = JSONNode.object([("description", .text("The schema of this file.")), ("type", .text("string"))])
        switch section.form {
        case .list:
            let lists = [(section.name, section.form)] + section.others.map { ($0.name, $0.form) }
            let properties = lists.map { (name: $0, value: node(.named($0, $1))) }
            var whole = [JSONMember("type", .text("object")), JSONMember("additionalProperties", .flag(false))]
            whole.append(JSONMember("properties", .object([("$schema", name)] + properties)))
            if section.others.isEmpty { whole.append(JSONMember("required", .texts([section.name]))) }
            return [JSONMember("oneOf", JSONNode(.array([properties[0].value, JSONNode(.object(whole))])))]
        case .map(let value, let names, let minimum):
            var members = members(.map(value, names: names.map { "(\($0)|^\\$schema$)" }, minimum: minimum))
            members.insert(JSONMember("properties", .object([("$schema", name)])), at: 1)
            return members
        default:
            var members = members(section.form)
            if let index = members.firstIndex(where: { $0.name == "properties" }),
                case .object(let properties) = members[index].node.value
            {
                members[index].node = JSONNode(.object([JSONMember("$schema", name)] + properties))
            }
            return members
        }
    }

    private mutating func node(_ form: Form) -> JSONNode { JSONNode(.object(members(form))) }

    private mutating func members(_ form: Form) -> [JSONMember] {
        switch form {
        case .flag: [JSONMember("type", .text("boolean"))]
        case .integer(let range):
            [JSONMember("type", .text("integer")), JSONMember("minimum", .number(Int64(range.lowerBound)))]
                + (range.upperBound == .max ? [] : [JSONMember("maximum", .number(Int64(range.upperBound)))])
        case .text: [JSONMember("type", .text("string")), JSONMember("minLength", .number(1))]
        case .pattern(let pattern, let other):
            [JSONMember("type", .text("string")), JSONMember("pattern", .text(pattern))]
                + (other.map { [JSONMember("not", .object([("pattern", .text($0))]))] } ?? [])
        case .choice(let words): [JSONMember("enum", .texts(words))]
        case .list(let element, let minimum, let maximum, let isUnique):
            list(element, minimum, maximum, isUnique)
        case .object(let form): object(form)
        case .map(let value, let names, let minimum): map(value, names, minimum)
        case .either(let forms): [JSONMember("oneOf", JSONNode(.array(forms.map { node($0) })))]
        case .named(let name, let form): [JSONMember("$ref", .text(define(name, form)))]
        case .described(let meaning, let form):
            [JSONMember("description", .text(Markdown.plain(meaning)))] + members(form)
        case .schema(let members): members
        }
    }

    private mutating func list(_ element: Form, _ minimum: Int, _ maximum: Int?, _ isUnique: Bool) -> [JSONMember] {
        var members = [JSONMember("type", .text("array")), JSONMember("items", node(element))]
        if minimum > 0 { members.append(JSONMember("minItems", .number(Int64(minimum)))) }
        if let maximum { members.append(JSONMember("maxItems", .number(Int64(maximum)))) }
        if isUnique { members.append(JSONMember("uniqueItems", .flag(true))) }
        return members
    }

    private mutating func map(_ value: Form, _ names: String?, _ minimum: Int) -> [JSONMember] {
        var members = [JSONMember("type", .text("object"))]
        if let names { members.append(JSONMember("propertyNames", .object([("pattern", .text(names))]))) }
        members.append(JSONMember("additionalProperties", node(value)))
        if minimum > 0 { members.append(JSONMember("minProperties", .number(Int64(minimum)))) }
        return members
    }

    private mutating func object(_ form: ObjectForm) -> [JSONMember] {
        var properties: [JSONMember] = []
        for key in form.keys {
            var members = [JSONMember("description", .text(Markdown.plain(key.meaning)))]
            members += self.members(key.form).filter { $0.name != "description" }
            if let standard = key.standard { members.append(JSONMember("default", standard)) }
            properties.append(JSONMember(key.name, JSONNode(.object(members))))
        }
        var members = [JSONMember("type", .text("object"))]
        if !form.isOpen { members.append(JSONMember("additionalProperties", .flag(false))) }
        members.append(JSONMember("properties", JSONNode(.object(properties))))
        let required = form.keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { members.append(JSONMember("required", .texts(required))) }
        members.constrain(form.constraints)
        return members
    }

    /// - Returns: the reference to the definition.
    private mutating func define(_ name: String, _ form: Form) -> String {
        if !definitions.contains(where: { $0.name == name }) {
            let index = definitions.count
            definitions.append((name, .flag(true)))
            definitions[index].value = node(form)
        }
        return "#/$defs/\(name)"
    }
}

extension JSONMember {
    fileprivate init(_ name: String, _ node: JSONNode) { self.init(name: name, node: node) }
}

/// The subset of Markdown in meanings.
enum Markdown {
    /// The text without code marks, and with the text of links only.
    static func plain(_ text: String) -> String {
        text.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }.replacing("`", with: "")
    }
}

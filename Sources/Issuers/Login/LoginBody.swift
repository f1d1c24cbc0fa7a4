import Bytes
import Identity

/// The body of a login request.
enum LoginBody: Sendable {
    case none
    /// A JSON value whose strings are templates.
    case json(LoginJSON)
    case form([(name: LoginTemplate, value: LoginTemplate)])
    /// The caller as a JSON object, for servers designed for it (ISS-03).
    case caller

    var contentType: String? {
        switch self {
        case .none: nil
        case .json, .caller: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }

    func bytes(_ values: LoginValues) -> [UInt8] {
        switch self {
        case .none: return []
        case .json(let json):
            var writer = JSONWriter()
            json.write(values, to: &writer)
            return writer.bytes
        case .form(let fields): return FormEncoding.form(fields.map { ($0.filled(values), $1.filled(values)) })
        case .caller:
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("subject", values[.subject])
            writer.member("kind", values[.kind])
            writer.member("backend", values[.backend])
            writer.member("backendVersion", values[.backendVersion])
            writer.member("webgate", values[.webgate])
            if case .caller(let request) = values.origin {
                writer.member("level", request.principal.level)
                writer.member("roles", request.principal.roleNames)
            }
            writer.endObject()
            return writer.bytes
        }
    }

    var places: [LoginTemplate.Place] {
        switch self {
        case .none, .caller: []
        case .json(let json): json.places
        case .form(let fields): fields.flatMap { $0.places + $1.places }
        }
    }
}

/// A JSON value with templates as strings. Values are inserted before the strings are encoded, so that they cannot
/// leave the quotes.
indirect enum LoginJSON: Sendable {
    case fixed(JSONNode)
    case text(LoginTemplate)
    case array([LoginJSON])
    case object([(name: String, value: LoginJSON)])

    init(_ node: JSONNode) throws(LoginTemplate.Problem) {
        switch node.value {
        case .string(let text): self = .text(try LoginTemplate(text))
        case .array(let elements):
            var made: [LoginJSON] = []
            for element in elements { made.append(try LoginJSON(element)) }
            self = .array(made)
        case .object(let members):
            var made: [(String, LoginJSON)] = []
            for member in members { made.append((member.name, try LoginJSON(member.node))) }
            self = .object(made)
        case .null, .bool, .number: self = .fixed(node)
        }
    }

    func write(_ values: LoginValues, to writer: inout JSONWriter) {
        switch self {
        case .fixed(let node): writer.value(node)
        case .text(let template): writer.value(template.filled(values))
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(values, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.name(member.name)
                member.value.write(values, to: &writer)
            }
            writer.endObject()
        }
    }

    var places: [LoginTemplate.Place] {
        switch self {
        case .fixed: []
        case .text(let template): template.places
        case .array(let elements): elements.flatMap(\.places)
        case .object(let members): members.flatMap(\.value.places)
        }
    }
}

import Bytes
import Declaration
import Model

extension RouteConditions {
    /// Reads `headers` and `query` of a route.
    static func read(_ object: inout ObjectReader) -> RouteConditions {
        let headers = object.optional(
            "headers",
            Shape(.map(either(.pattern("^[!-~]([ -~]*[!-~])?$")), names: Form.tokenPattern, minimum: 1), read: fields),
            """
            Values of request fields, or `true` for any value, by which routes of the same path are \
            [chosen](guides/routing.md#headers-and-queries). Each field must be there exactly once.
            """)
        let query = object.optional(
            "query", Shape(.map(either(.pattern("^[^\\x00-\\x1f\\x7f]*$")), minimum: 1), read: parameters),
            "Values of query parameters, or `true` for any value, in the same way.")
        return RouteConditions(headers: headers ?? [], query: query ?? [])
    }

    private static func either(_ value: Form) -> Form {
        .either([value, .schema([JSONMember(name: "const", node: .flag(true))])])
    }

    @Sendable private static func fields(_ field: Field) -> [Condition]? {
        conditions(field, "an object of values by field name") { name, place in
            guard Token.isValid(name), name != "*" else {
                return place.error("\"\(name)\" is no name of a field", expected: "a header field name")
            }
            let name = name.lowercased()
            guard !reserved.contains(name) else {
                return place.error("routes are not chosen by \"\(name)\"", expected: "another field")
            }
            return value(place, "visible ASCII text, or true") { text in
                text.first != " " && text.last != " " && !text.isEmpty && text.utf8.allSatisfy { $0 >= 32 && $0 < 127 }
            }.map { Condition(name, value: $0) }
        }
    }

    @Sendable private static func parameters(_ field: Field) -> [Condition]? {
        conditions(field, "an object of values by parameter") { name, place in
            guard !name.isEmpty else { return place.error("a parameter has a name", expected: "a parameter") }
            return value(place, "a text without control characters, or true") { text in
                text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
            }.map { Condition(name, value: $0) }
        }
    }

    /// - Parameter read: the condition of a member; nil after an error.
    private static func conditions(
        _ field: Field, _ expected: String, _ read: (String, Field) -> Condition?
    ) -> [Condition]? {
        let members = field.object(expected).entries
        if field.node.members?.isEmpty == true { return field.error("no condition", expected: expected) }
        var conditions: [Condition] = []
        for (name, place) in members {
            guard let condition = read(name, place) else { continue }
            if conditions.contains(where: { $0.name == condition.name }) {
                place.error("\"\(name)\" is named twice", expected: "each name once")
            }
            conditions.append(condition)
        }
        return conditions
    }

    /// - Returns: nil within the value for any value; nil after an error.
    private static func value(_ place: Field, _ expected: String, _ isValid: (String) -> Bool) -> String?? {
        if place.node.bool == true { return .some(nil) }
        guard let text = place.text(expected) else { return nil }
        return isValid(text) ? .some(text) : place.invalid(expected)
    }

    /// Fields that frame the message, have settings of their own, or are secrets.
    private static let reserved = Set(CallerFields.credentials.map { $0.lowercased() }).union([
        "host", "cookie", "proxy-authorization", "connection", "content-length", "transfer-encoding", "te", "trailer",
        "upgrade", "keep-alive",
        "proxy-connection",
        "expect", "http2-settings", "origin", "access-control-request-method", "access-control-request-headers",
    ])
}

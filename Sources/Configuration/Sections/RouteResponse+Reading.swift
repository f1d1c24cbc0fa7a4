import Declaration
import Model

extension RouteResponse {
    static let shape = Shape.object("a response: {\"status\", \"contentType\", \"body\"}") { object in
        var response = RouteResponse()
        object.read("status", .integer(200...599, "a status"), into: &response.status, "Status of the response.")
        object.read(
            "contentType", .text(.pattern(mediaTypes), mediaType), into: &response.contentType,
            "`Content-Type` of the body.")
        let body = object.take(
            "body", .text(.pattern("^[\\s\\S]{0,\(maximumBodyBytes)}$"), text), "The body, of at most 64 KiB.")
        response.body = body?.read() ?? ""
        if response.isBodiless, !response.body.isEmpty {
            body?.field.error("a response with status \(response.status) has no body", expected: "no \"body\"")
        }
        return response
    }

    static let mediaTypes = "^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+( *;[ -~]*[!-:<-~])?$"

    @Sendable static func mediaType(_ field: Field) -> String? {
        let expected = "a media type such as \"text/plain\" or \"text/html; charset=utf-8\""
        guard let text = field.text(expected) else { return nil }
        let type = text.prefix { $0 != ";" && $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
        guard type.count == 2, type.allSatisfy({ Token.isValid(String($0)) }),
            text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), text.last != " ", text.last != ";"
        else { return field.invalid(expected) }
        return text
    }

    @Sendable private static func text(_ field: Field) -> String? {
        let expected = "a text of at most \(maximumBodyBytes) bytes"
        guard let text = field.text(expected) else { return nil }
        guard text.utf8.count <= maximumBodyBytes else {
            return field.error("the body is too long", expected: expected, found: "\(text.utf8.count)")
        }
        return text
    }
}

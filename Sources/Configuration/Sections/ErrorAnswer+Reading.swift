import Bytes
import Declaration
import Model

extension ErrorAnswer {
    static let shape = Shape<ErrorAnswer?>.object(
        "an answer: {\"status\" or \"reason\", and \"body\", \"file\" or \"redirect\"}"
    ) { object in
        let statuses = object.take(
            "status", statusShape, "Status of the error: a number, `\"4xx\"`, `\"5xx\"`, or a list of them.")
        let reasons = object.take(
            "reason", reasonShape, "[Reason code](reference/reasons.md) of the error, or a list of them.")
        let body = object.take("body", .text(.text, text), "Template of the body, of at most 64 KiB.")
        let file = object.take(
            "file", .text(OwnFile.form, file), "The same as a file below the directory of the configuration.")
        let type = object.take(
            "contentType", .text(.pattern(RouteResponse.mediaTypes), RouteResponse.mediaType), default: standardType,
            "`Content-Type` of the body; the values of placeholders are escaped for it.")
        let redirect = object.take(
            "redirect", .text(.pattern("^(https?://[^/?#@]|/([^/]|$))")) { $0.text(locations) },
            "Template of the URL that browsers are sent to, in place of a body.")
        let status = object.take(
            "answerStatus", .integer(300...599, "a status"),
            "Status of the answer: by default that of the error, or 302 for a redirect.")
        let fields = object.value(
            "headers", FieldRules.lines(.response), default: [], "Fields of the answer by name, with placeholders.")
        object.rules(
            .atLeastOne(of: "status", "reason", because: "the answer is for no error"),
            .exactlyOne(
                of: "body", "file", "redirect", none: "the answer has no content",
                several: "an answer has one content"),
            .only("contentType", with: .not(.has("redirect")), because: "a redirect has no body"))
        let contentType = (type?.read() ?? standardType).withCharset
        if let type { checkCharset(contentType, type.field) }

        var content: Content?
        if let redirect, let text = redirect.read() {
            content = template(redirect.field) { field throws(ErrorTemplate.Problem) in
                try ErrorTemplate(location: text) { variable($0, field) }
            }.map(Content.redirect)
        } else if let source = body ?? file, let text = source.read() {
            content = template(source.field) { field throws(ErrorTemplate.Problem) in
                try ErrorTemplate(text, contentType: contentType) { variable($0, field) }
            }.map { .body($0, contentType: contentType) }
        }
        guard let content else { return nil }
        var answer = ErrorAnswer(content: content)
        answer.statuses = statuses?.read() ?? []
        answer.reasons = reasons?.read() ?? []
        answer.status = status?.read()
        answer.fields = fields
        if let status { answer.checkStatus(status.field) }
        if let reasons { answer.checkReasons(reasons.field) }
        for (name, field) in object.entries where name == "headers" { checkNames(field) }
        return answer
    }

    private static let locations =
        "an http or https URL or a path such as \"/sorry\", with values of the request in the query alone"

    // MARK: Errors

    private static var statusShape: Shape<[ClosedRange<Int>]> {
        let one = Form.either([.integer(400...599), .pattern("^[45]xx$")])
        return Shape(.either([.integer(400...599), .pattern("^[45]xx$"), .list(one, minimum: 1)])) { field in
            guard field.node.array != nil else { return status(field).map { [$0] } }
            let elements = field.elements("a status or a list of them") ?? []
            if elements.isEmpty { field.invalid("at least one status") }
            return elements.compactMap(status)
        }
    }

    private static func status(_ field: Field) -> ClosedRange<Int>? {
        let expected = "a status from 400 to 599, \"4xx\" or \"5xx\""
        switch field.node.string {
        case "4xx": return 400...499
        case "5xx": return 500...599
        case nil:
            guard let number = field.node.integer.map(Int.init), (400...599).contains(number) else {
                return field.invalid(expected)
            }
            return number...number
        default: return field.invalid(expected)
        }
    }

    private static let reasonShape: Shape<[String]> = {
        let codes = ReasonTexts.errors.map(\.code)
        return Shape(.either([.choice(codes), .list(.choice(codes), minimum: 1)])) { field in
            guard field.node.array != nil else { return reason(field).map { [$0] } }
            let elements = field.elements("a reason code or a list of them") ?? []
            if elements.isEmpty { field.invalid("at least one reason code") }
            return elements.compactMap(reason)
        }
    }()

    private static func reason(_ field: Field) -> String? {
        let expected = "the code of a reason why a request of a route is refused or fails"
        guard let code = field.text(expected) else { return nil }
        let known = ReasonTexts.errors.map(\.code)
        if known.contains(code) { return code }
        return field.invalid(expected, suggestion: Suggestion.nearest(to: code, among: known))
    }

    /// The reasons that it names, with their statuses.
    private var named: [(code: String, status: Int)] { ReasonTexts.errors.filter { reasons.contains($0.code) } }

    /// Reports reasons that no status of the answer belongs to.
    private func checkReasons(_ field: Field) {
        guard !statuses.isEmpty else { return }
        for reason in named where !statuses.contains(where: { $0.contains(reason.status) }) {
            field.error(
                "the reason \"\(reason.code)\" has the status \(reason.status)",
                expected: "a \"status\" that includes it, or none")
        }
    }

    /// A refusal never looks like a success, which another proxy would take for leave to forward the request.
    private func checkStatus(_ field: Field) {
        guard let status else { return }
        if case .redirect = content {
            if !ErrorAnswer.redirects.contains(status) { field.invalid("302, 303 or 307") }
        } else if status < 400 {
            field.invalid("a status from 400 to 599")
        } else if ErrorAnswer.bound.contains(status) {
            let isOwn =
                reasons.isEmpty
                ? !statuses.isEmpty && statuses.allSatisfy { $0 == status...status }
                : named.allSatisfy { $0.status == status }
            if !isOwn {
                field.error(
                    "an answer with status \(status) needs fields that only errors with this status have",
                    expected: "another status")
            }
        }
    }

    private static func checkNames(_ field: Field) {
        for (name, place) in field.object("an object of values by field name").entries
        where written.contains(where: { FieldRules.isAlias($0, name) }) {
            place.error("the answer has the field \"\(name)\" by itself", expected: "another field")
        }
    }

    /// Fields of errors that the gateway writes, or that keep answers from being taken for something else.
    private static let written = [
        "WWW-Authenticate", "Retry-After", "Allow", "Content-Type", "Location", "Cache-Control", "Vary",
        "X-Content-Type-Options",
    ]

    // MARK: Contents

    private static func checkCharset(_ contentType: String, _ field: Field) {
        let text = contentType.lowercased()
        guard let place = text.firstRange(of: "charset=") else { return }
        let charset = text[place.upperBound...].prefix { $0 != ";" && $0 != " " }
        if charset != "utf-8", charset != "\"utf-8\"" {
            field.error("bodies are UTF-8", expected: "\"charset=utf-8\", or no charset")
        }
    }

    @Sendable private static func text(_ field: Field) -> String? {
        guard let text = field.text("a template of at most \(maximumBytes) bytes") else { return nil }
        return checked(text, field)
    }

    private static func checked(_ text: String, _ field: Field) -> String? {
        guard text.utf8.count <= maximumBytes else {
            return field.error(
                "the template is too long", expected: "at most \(maximumBytes) bytes", found: "\(text.utf8.count)")
        }
        return text
    }

    /// The text of a file below the directory of the configuration.
    @Sendable private static func file(_ field: Field) -> String? {
        guard let bytes = OwnFile.contents(field) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return field.error(
                "the file \(field.summary) holds no text", expected: "a file with a template as UTF-8 text")
        }
        return checked(text, field)
    }

    /// The value of `env.NAME`.
    private static func variable(_ name: String, _ field: Field) -> String? {
        name.hasPrefix("env.") ? field.constant(name) : nil
    }

    private static func template(
        _ field: Field, _ make: (Field) throws(ErrorTemplate.Problem) -> ErrorTemplate
    ) -> ErrorTemplate? {
        do throws(ErrorTemplate.Problem) {
            return try make(field)
        } catch {
            switch error {
            case .open: return field.error("\"${\" has no end", expected: "\"}\", or \"$${\" for the text \"${\"")
            case .claim(let name, let problem):
                return field.error("\"${\(name)}\" names no claim: \(problem.rawValue)", expected: "a claim")
            case .constant(let name):
                return field.error(
                    "\"${\(name)}\" has no value",
                    expected: "a variable; those of files beside gateway.json must be in its \"environment\"")
            case .place(let name):
                return field.error(
                    "\"${\(name)}\" stands where its value could become something else",
                    expected: "placeholders in text, quoted attributes, strings of JSON, or the query of a URL")
            case .json: return field.error("the body is not JSON", expected: "JSON, with placeholders in strings")
            case .location: return field.invalid(locations)
            case .unknown(let name):
                let known = ErrorTemplate.placeholders + ErrorTemplate.families
                return field.error(
                    "unknown placeholder \"${\(name)}\"",
                    expected: (ErrorTemplate.placeholders + ["claim.PATH", "env.NAME"]).map { "${\($0)}" }
                        .joined(separator: ", "),
                    suggestion: Suggestion.nearest(to: name, among: known).map { "${\($0)}" })
            }
        }
    }
}

extension String {
    /// A media type with the charset of text, which browsers would guess otherwise.
    fileprivate var withCharset: String {
        let type = lowercased()
        return type.hasPrefix("text/") && !type.contains("charset=") ? "\(self); charset=utf-8" : self
    }
}

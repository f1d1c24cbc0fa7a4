import Bytes
import Declaration
import Model

extension ChallengeRule {
    static let list = shape.list("an array of challenges", minimum: 1, isUnique: false)
        .map({ $0.compactMap(\.self) }, back: { $0.isEmpty ? [] : nil })

    private static let shape = Shape<ChallengeRule?>.object("a challenge: {\"scheme\", \"parameters\"}") { object in
        let scheme = object.required(
            "scheme", .text(.pattern(Form.tokenPattern), scheme), "the name of a scheme", placeholder: "",
            "Name of the scheme, such as `ApiKey` or `xBasic`.")
        let parameters = object.value(
            "parameters", parameters, default: [],
            """
            Parameters in their order. Text is quoted and may have `${realm}`, `${level}`, `${scope}`, `${error}` and \
            `${request_id}`; numbers, `true` and `false` are not quoted.
            """)
        return scheme.isEmpty ? nil : ChallengeRule(scheme: scheme, parameters: parameters)
    }

    @Sendable private static func scheme(_ field: Field) -> String? {
        let expected = "the name of a scheme: letters, digits and hyphens"
        guard let name = field.text(expected) else { return nil }
        guard Token.isValid(name) else { return field.invalid(expected) }
        guard name.lowercased() != UpstreamChallengeRule.scheme.lowercased() else {
            return field.error(
                "the gateway writes challenges of \(UpstreamChallengeRule.scheme) itself", expected: "another scheme")
        }
        return name
    }

    private static let parameters = Shape<[Parameter]>(
        .map(.either([.text, .integer(0...Int.max), .flag]), names: Form.tokenPattern),
        write: { $0.isEmpty ? .object([]) : nil }
    ) { field in
        var parameters: [Parameter] = []
        for (name, place) in field.object("an object of values by parameter").entries {
            guard Token.isValid(name) else {
                place.error("\"\(name)\" is no name of a parameter", expected: "a token (RFC 9110 section 11.2)")
                continue
            }
            if parameters.contains(where: { $0.name.lowercased() == name.lowercased() }) {
                place.error("\"\(name)\" is named twice", expected: "each name once")
            }
            guard let value = value(place) else { continue }
            if case .token = value, name.lowercased() == "realm" {
                place.error("a realm is quoted (RFC 9110 section 11.5)", expected: "a text")
            }
            parameters.append(Parameter(name, value))
        }
        return parameters
    }

    private static func value(_ field: Field) -> Value? {
        let expected = "visible ASCII text, a number, true or false"
        switch field.node.value {
        case .bool(let flag): return .token(flag ? "true" : "false")
        case .number:
            guard let number = field.node.integer, number >= 0 else { return field.invalid(expected) }
            return .token(String(number))
        default: break
        }
        guard let text = field.text(expected) else { return nil }
        do throws(Problem) {
            return .text(try pieces(text))
        } catch {
            switch error {
            case .character: return field.invalid(expected)
            case .open: return field.error("\"${\" has no end", expected: "\"}\", or \"$${\" for the text \"${\"")
            case .unknown(let name):
                return field.error(
                    "unknown placeholder \"${\(name)}\"",
                    expected: placeholders.map { "${\($0)}" }.joined(separator: ", "),
                    suggestion: Suggestion.nearest(to: name, among: placeholders).map { "${\($0)}" })
            }
        }
    }
}

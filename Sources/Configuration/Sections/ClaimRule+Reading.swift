import Bytes
import Declaration
import Model

extension ClaimRule {
    private static let expected =
        "an object of conditions by claim, such as {\"email_verified\": true} or {\"tenant\": {\"in\": [\"a\", \"b\"]}}"

    /// Conditions by the place of a claim.
    /// - Parameter path: of the route, whose variables texts may name.
    static func list(_ path: PathPattern) -> Shape<[ClaimRule]> {
        let (operand, tests) = (Operand.shape(path), tests(path))
        return Shape<[ClaimRule]>(.map(.either([operand.form(), tests.form()]), minimum: 1)) { field in
            let entries = field.object(expected).entries
            if entries.isEmpty, field.node.members != nil { field.error("no claim", expected: expected) }
            return entries.compactMap { name, place in
                let path = ClaimPath.read(name, place)
                let tests =
                    place.node.members == nil ? operand.read(place).map { [.equals($0)] } : tests.read(place)
                guard let path, let tests else { return nil }
                return ClaimRule(path, tests)
            }
        }
    }

    private static func tests(_ path: PathPattern) -> Shape<[Test]> {
        let operand = Operand.shape(path)
        return .object("conditions") { object in
            var tests: [Test] = []
            if let value = object.optional("equals", operand, "The claim is this value.") {
                tests.append(.equals(value))
            }
            if let values = object.optional(
                "in", operand.list("an array of values", minimum: 1), "The claim is one of these values.")
            {
                if values.isEmpty { object.field.error("\"in\" has no value", expected: "at least one value") }
                tests.append(.isIn(values))
            }
            if let value = object.optional(
                "contains", operand, "The claim is an array with this value, or the value itself.")
            {
                tests.append(.contains(value))
            }
            if let isExpected = object.optional("exists", .flag, "Whether the claim must be there, or must not.") {
                tests.append(.exists(isExpected))
            }
            // Without a condition every claim would do.
            object.rules(.atLeastOne(of: "equals", "in", "contains", "exists", because: "no condition"))
            return tests
        }
    }
}

extension ClaimRule.Operand {
    fileprivate static func shape(_ path: PathPattern) -> Shape<ClaimRule.Operand> {
        Shape(.schema([JSONMember(name: "type", node: .texts(["string", "number", "boolean"]))])) { field in
            switch field.node.value {
            case .string(let text): operand(text, path, field)
            case .number(let text): .number(text)
            case .bool(let flag): .flag(flag)
            case .null, .array, .object: field.wrongType("a text, a number, true or false")
            }
        }
    }

    /// A text, or `{name}` for a variable.
    private static func operand(_ text: String, _ path: PathPattern, _ field: Field) -> ClaimRule.Operand? {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return .text(text) }
        let name = String(text.dropFirst().dropLast())
        if let place = path.place(of: name) { return .variable(name, place: place) }
        if path == .nothing { return .text(text) }
        return field.error(
            "\"path\" has no variable \"\(name)\"",
            expected: path.variableNames.isEmpty
                ? "a variable such as \"/users/{\(name)}\" in \"path\""
                : path.variableNames.map { "\"{\($0)}\"" }.joined(separator: ", "))
    }
}

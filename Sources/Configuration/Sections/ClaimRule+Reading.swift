import Bytes
import Model

extension ClaimRule {
    private static let expected =
        "an object of conditions by claim, such as {\"email_verified\": true} or {\"tenant\": {\"in\": [\"a\", \"b\"]}}"

    /// Conditions by the place of a claim.
    static let list = Shape<[ClaimRule]>(
        .map(.either([Operand.shape.form(), tests.form()]), minimum: 1),
        read: { field in
            let entries = field.object(expected).entries
            if entries.isEmpty, field.node.members != nil { field.error("no claim", expected: expected) }
            return entries.compactMap { name, place in
                let path = ClaimPath.read(name, place)
                let tests =
                    place.node.members == nil ? Operand.shape.read(place).map { [.equals($0)] } : tests.read(place)
                guard let path, let tests else { return nil }
                return ClaimRule(path, tests)
            }
        })

    private static let tests = Shape<[Test]>.object("conditions") { object in
        var tests: [Test] = []
        if let value = object.optional("equals", Operand.shape, "The claim is this value.") {
            tests.append(.equals(value))
        }
        if let values = object.optional(
            "in", Operand.shape.list("an array of values", minimum: 1), "The claim is one of these values.")
        {
            if values.isEmpty { object.field.error("\"in\" has no value", expected: "at least one value") }
            tests.append(.isIn(values))
        }
        if let value = object.optional(
            "contains", Operand.shape, "The claim is an array with this value, or the value itself.")
        {
            tests.append(.contains(value))
        }
        if let isExpected = object.optional("exists", .flag, "Whether the claim must be there, or must not.") {
            tests.append(.exists(isExpected))
        }
        if tests.isEmpty, object.field.node.members?.isEmpty == true {
            // Every claim would do.
            object.field.error("no condition", expected: "\"equals\", \"in\", \"contains\" or \"exists\"")
        }
        return tests
    }
}

extension ClaimRule.Operand {
    fileprivate static let shape = Shape<ClaimRule.Operand>(
        .schema([JSONMember(name: "type", node: .texts(["string", "number", "boolean"]))]),
        read: { field in
            switch field.node.value {
            case .string(let text): .text(text)
            case .number(let text): .number(text)
            case .bool(let flag): .flag(flag)
            case .null, .array, .object: field.wrongType("a text, a number, true or false")
            }
        })
}

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
            return entries.flatMap { name, place -> [ClaimRule] in
                let path = ClaimPath.read(name, place)
                let tests =
                    place.node.members == nil ? operand.read(place).map { [.equals($0)] } : tests.read(place)
                guard let path, let tests else { return [] }
                let ownsDomain = tests.contains { if case .domain = $0 { true } else { false } }
                if ownsDomain, !path.isClaim("email") {
                    place.error(
                        "\"email_verified\" says nothing of \"\(path.text)\"",
                        expected: "\"domain\" of the claim \"email\"")
                }
                return [ClaimRule(path, tests)] + (ownsDomain ? [.verifiedEmail] : [])
            }
        }
    }

    /// A domain in lower case.
    private static let domain = Shape<String>(.pattern("^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$")) { field in
        guard let text = field.node.string else { return field.wrongType("a domain") }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isDomain = labels.allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ASCII.isLetter($0) || ASCII.isDigit($0) }
        }
        guard isDomain else {
            return field.error("no domain", expected: "a domain such as \"example.com\"", found: field.summary)
        }
        return text.lowercased()
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
            if let domains = object.optional(
                "domain", domain.list("an array of domains", minimum: 1),
                """
                For `email`: the address is of one of these domains, not of one below them, and `email_verified` is true.
                """)
            {
                if object.field.node["domain"]?.array?.isEmpty == true {
                    object.field.error("\"domain\" has no value", expected: "at least one domain")
                }
                tests.append(.domain(domains))
            }
            // Without a condition every claim would do.
            object.rules(.atLeastOne(of: "equals", "in", "contains", "exists", "domain", because: "no condition"))
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

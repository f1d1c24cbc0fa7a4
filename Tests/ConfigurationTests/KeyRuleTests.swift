import Bytes
import Declaration
import Model
import TestSupport
import Testing

@testable import Configuration

/// Rules between keys: each kind with its check, message and schema, and the rules that sections declare.
@Suite struct KeyRuleTests {
    private static func violations(_ rule: KeyRule, _ text: String) throws -> [String] {
        let object = try JSONNode.parse(text.utf8.span)
        return rule.violations { object[$0] }.map { "\($0.name ?? ""): \($0.message) (\($0.expected))" }
    }

    private static let kinds: [(rule: KeyRule, object: String, violations: [String])] = [
        (.exactlyOne(of: "a", "b"), "{}", [#"a: required member "a" is missing ("a" or "b")"#]),
        (.exactlyOne(of: "a", "b"), #"{"b": 1}"#, []),
        (
            .exactlyOne(of: "a", "b", "c"), #"{"c": 1, "b": 1}"#,
            [#"c: "c" and "b" exclude each other (one of the two)"#]
        ),
        (.exactlyOne(of: "a", "b", none: "nothing"), "{}", [#": nothing ("a" or "b")"#]),
        (
            .exactlyOne(of: "a", "b", "c", several: "too much"), #"{"a": 1, "b": 1, "c": 1}"#,
            [#"b: too much (one of "a", "b" and "c")"#, #"c: too much (one of "a", "b" and "c")"#]
        ),
        (.atLeastOne(of: "a", "b", because: "nothing"), #"{"c": 1}"#, [#": nothing ("a" or "b")"#]),
        (.atLeastOne(of: "a", "b"), #"{"a": 1, "b": 1}"#, []),
        (.atMostOne(of: "a", "b"), "{}", []),
        (.atMostOne(of: "a", "b"), #"{"a": 1, "b": 1}"#, [#"b: "b" and "a" exclude each other (one of the two)"#]),
        (
            .requires("a", "b", if: .equals("kind", "x")), #"{"kind": "x", "a": 1}"#,
            [#"b: required member "b" is missing ("b" beside "kind": "x")"#]
        ),
        (.requires("a", if: .equals("kind", "x")), #"{"kind": "y"}"#, []),
        (.requires("a", if: .has("b")), #"{"b": 1}"#, [#"a: required member "a" is missing ("a" beside "b")"#]),
        (
            .requires(.any([.hasElements("a"), .isOn("open")]), because: "closed"), #"{"a": [], "open": false}"#,
            [#": closed ("a" or "open": true)"#]
        ),
        (.requires(.any([.hasElements("a"), .isOn("open")]), because: "closed"), #"{"a": [1]}"#, []),
        (
            .only("a", "b", with: .equals("kind", "x")), #"{"a": 1, "b": 1, "kind": "y"}"#,
            [#"a: "a" needs "kind": "x" ("kind": "x")"#, #"b: "b" needs "kind": "x" ("kind": "x")"#]
        ),
        (.only("a", with: .has("b")), #"{"a": 1}"#, [#"a: "a" needs "b" ("b")"#]),
        (
            .only("a", with: .not(.hasAny("b", "c"))), #"{"a": 1, "c": 1}"#,
            [#"a: "a" and "c" exclude each other (one of the two)"#]
        ),
        (
            .only("a", with: .not(.isOff("b")), because: "b is off"), #"{"a": 1, "b": false}"#,
            [#"a: b is off (no "b": false)"#]
        ),
        (.only("a", with: .not(.isOff("b"))), #"{"a": 1}"#, []),
        (
            .only("mode", with: .begins("address", with: "unix:")), #"{"mode": 1, "address": "::1"}"#,
            [#"mode: "mode" needs "address": "unix:…" ("address": "unix:…")"#]
        ),
        (.only("mode", with: .begins("address", with: "unix:")), #"{"mode": 1, "address": "unix:a"}"#, []),
        (
            .requires("uri", if: .contains("types", ["a", "b"])), #"{"types": ["c", "b"]}"#,
            [#"uri: required member "uri" is missing ("uri" beside "types" with "a" or "b")"#]
        ),
        (.requires("uri", if: .contains("types", ["a", "b"])), #"{"types": ["c"]}"#, []),
        // Unless the entry is revoked.
        (
            KeyRule.requires(.hasAny("secret", "keys"), if: .has("id"), because: "no credential")
                .when(.not(.isOn("revoked"))),
            #"{"id": 1, "revoked": false}"#, [#": no credential ("secret" or "keys")"#]
        ),
        (
            KeyRule.requires(.hasAny("secret", "keys"), if: .has("id"), because: "no credential")
                .when(.not(.isOn("revoked"))), #"{"id": 1, "revoked": true}"#, []
        ),
    ]

    @Test("each kind reports what breaks it, with the key and what is expected", arguments: kinds.indices)
    func check(_ index: Int) throws {
        let (rule, object, violations) = Self.kinds[index]
        #expect(try Self.violations(rule, object) == violations)
        #expect(RuleTrial(rule).disagreements == [])
    }

    @Test("the schema of a rule refuses what its check refuses, for each rule of each section")
    func declaredRules() {
        let rules = SectionForm.all(Families.sections).flatMap(\.form.objects).flatMap(\.rules)
        #expect(rules.count > 50)
        for rule in rules {
            let trial = RuleTrial(rule)
            #expect(trial.disagreements == [], "\(rule)")
            #expect(trial.refused > 0 && trial.accepted > 0, "\(rule)")
        }
    }

    @Test("a reader reports a rule with file and line, and an object of the wrong type once")
    func reader() {
        let shape = Shape.object("an object") { object in
            _ = object.optional("a", .name, "A.")
            _ = object.keys(with: .isOn("on")) { object in object.required("b", .name, "a name", "B.") }
            _ = object.flag("on", default: false, "On.")
            object.rules(.only("a", with: .isOn("on")))
        }
        #expect(Self.messages(shape, #"{"a": "x"}"#) == [#"/a: "a" needs "on": true"#])
        #expect(Self.messages(shape, #"{"b": "x"}"#) == [#"/b: "b" needs "on": true"#])
        #expect(Self.messages(shape, #"{"on": true}"#) == [#"/b: required member "b" is missing"#])
        #expect(Self.messages(shape, #"{"on": true, "a": "x", "b": "y"}"#) == [])
        #expect(Self.messages(shape, "5") == [": wrong type"])
    }

    @Test("a key by its former name is an error that names the new one")
    func removed() {
        let shape = Shape.object("an object") { object in
            _ = object.optional("lifetime", .name, "A.")
            object.removed(["sessionLifetime"], instead: "\"lifetime\"")
        }
        let diagnostics = Self.diagnostics(shape, #"{"sessionLifetime": "8h"}"#)
        #expect(diagnostics.map(\.message) == [#""sessionLifetime" is no longer a setting"#])
        #expect(diagnostics.map(\.expected) == [#""lifetime""#])
        #expect(Self.messages(shape, #"{"lifetime": "8h"}"#) == [])
        #expect(Self.messages(shape, #"{"lifetimes": "8h"}"#) == [#"/lifetimes: unknown member "lifetimes""#])
        guard case .object(let form) = shape.form() else { fatalError("no object") }
        #expect(form.names == ["lifetime"])
    }

    private static func messages<Value>(_ shape: Shape<Value>, _ text: String) -> [String] {
        diagnostics(shape, text).map { "\($0.pointer): \($0.message)" }
    }

    static func diagnostics<Value>(_ shape: Shape<Value>, _ text: String) -> [Diagnostic] {
        let findings = Findings(sources: Sources(), directory: "", production: false)
        guard let node = try? JSONNode.parse(text.utf8.span) else { fatalError("no JSON: \(text)") }
        _ = shape.read(Field(node: node, pointer: "", findings: findings))
        return findings.diagnostics
    }
}

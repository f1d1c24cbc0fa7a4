import Crypto
import Foundation
import Model
import TestSupport
import Testing

/// Each kind of secret, in each place of the configuration that accepts secrets (GW-12).
@Suite struct SecretPlaceTests {
    /// A configuration by section, with `@NAME` in each of the places: one of `values`.
    private static var sections: [String: Any] {
        let text = Data(Vectors.text("Tests/Fixtures/secrets.json").utf8)
        return (try? JSONSerialization.jsonObject(with: text)) as? [String: Any] ?? [:]
    }

    private static let values = [
        "text": String(repeating: "0123456789abcdef", count: 4),
        "key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        "otp": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        "pem": SigningKey.generate(.es256).pem,
    ]

    /// References to the values, in front of their names: right and wrong.
    private static let references = [
        ("env:SECRET_", "env:NOTHING_", "the environment variable NOTHING_"),
        ("file:secrets/", "file:nowhere/", "/nowhere/"),
        ("cred:", "cred:no-", "the credential store has no secret \"no-"),
        ("program:vault:", "program:vault:no/", "the program \"vault\" has failed (exit status 1)"),
    ]

    /// The value with other texts in its places, and their pointers.
    private static func replace(
        _ value: Any, at pointer: String, _ places: inout [String], with text: (String) -> String
    ) -> Any {
        if let string = value as? String, string.hasPrefix("@") {
            places.append(pointer)
            return text(String(string.dropFirst()))
        }
        if let members = value as? [String: Any] {
            return Dictionary(
                uniqueKeysWithValues: members.map {
                    ($0.key, replace($0.value, at: "\(pointer)/\($0.key)", &places, with: text))
                })
        }
        guard let elements = value as? [Any] else { return value }
        return elements.enumerated().map { replace($1, at: "\(pointer)/\($0)", &places, with: text) }
    }

    /// Writes the configuration, with the text of each place by section, and returns the pointers of the places.
    @discardableResult
    private func write(
        _ directory: ConfigurationDirectory, _ text: (_ section: String, _ name: String) -> String
    ) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for (name, value) in Self.sections {
            var places: [String] = []
            let pointer = name == "gateway" ? "" : "/\(name)"
            let filled = Self.replace(value, at: pointer, &places) { text(name, $0) }
            let bytes = try JSONSerialization.data(withJSONObject: filled)
            try directory.write("\(name).json", String(decoding: bytes, as: UTF8.self))
            found[name] = places
        }
        return found
    }

    private static func check(
        _ directory: ConfigurationDirectory
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        let environment = values.map { ("SECRET_\($0.key)", $0.value) }
        return try CommandLine.run(
            "check", directory.path, environment: Dictionary(uniqueKeysWithValues: environment))
    }

    @Test("each place accepts each kind of secret, and reports one that is not there", arguments: references)
    func kinds(right: String, wrong: String, message: String) throws {
        let directory = try ConfigurationDirectory()
        for (name, value) in Self.values {
            try directory.write("secrets/\(name)", value)
            guard right == "cred:" else { continue }
            let kept = try CommandLine.run("cred", "add", name, "--config", directory.path, input: value)
            try #require(kept.ending == .exit(0), "\(kept.errors)")
        }
        let places = try write(directory) { right + $1 }
        let checked = try Self.check(directory)
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        if right.hasPrefix("program:") {
            // One run for each key, in whichever sections it is named.
            let calls = try directory.read("calls").split(separator: "\n").map(String.init)
            #expect(calls.sorted() == Self.values.keys.sorted())
        }
        // A review of the rules does without, and starts no program.
        try write(directory) { wrong + $1 }
        let calls = try? directory.read("calls")
        let reviewed = try CommandLine.run("access", directory.path)
        #expect(reviewed.ending == .exit(0), "\(reviewed.errors)")
        for name in Self.values.keys { #expect(reviewed.errors.contains("not read here: \(wrong)\(name) (/")) }
        #expect((try? directory.read("calls")) == calls)
        #expect(try CommandLine.run("serve", "--config", directory.path).ending == .exit(1))
        // Modules read the members of issuers once all other sections are right.
        for isIssuers in [true, false] {
            try write(directory) { ($0 == "issuers") == isIssuers ? wrong + $1 : right + $1 }
            let refused = try Self.check(directory)
            #expect(refused.ending == .exit(1))
            let lines = refused.errors.split(separator: "\n")
            for place in places.filter({ ($0.key == "issuers") == isIssuers }).values.joined() {
                let line = lines.first { $0.contains(" error: \(place): ") }
                #expect(line?.contains(message) == true, "\(place): \(line ?? "no error")")
            }
        }
    }

    @Test("the configuration above has a secret in each place that the schemas name")
    func everyPlace() {
        for (name, value) in Self.sections {
            let places = SchemaPlaces(Vectors.text("config/schema/\(name).schema.json"))
            let missing = places.declared.subtracting(places.used(by: value))
            #expect(missing.isEmpty, "\(name): \(missing.sorted())")
        }
        let names = Set(Self.sections.keys)
        let folder = Vectors.root.appending(path: "config/schema").path
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where file.hasSuffix(".json") {
            guard !names.contains(where: { file.hasPrefix("\($0).") }) else { continue }
            #expect(SchemaPlaces(Vectors.text("config/schema/\(file)")).declared.isEmpty, "\(file)")
        }
    }
}

/// The places of secrets in a schema, as pointers into it.
private struct SchemaPlaces {
    private let root: JSONText

    init(_ text: String) { root = JSONText(text) }

    var declared: Set<String> {
        var found: Set<String> = []
        collect(root, "", &found)
        return found
    }

    /// The places that a value has.
    func used(by value: Any) -> Set<String> {
        var found: Set<String> = []
        follow(root, "", value, &found)
        return found
    }

    private static let secret = "#/$defs/secret"

    /// A key or a list of keys in rotation is one place.
    private func add(_ path: String, _ found: inout Set<String>) {
        let isRing = ["/key/oneOf/0", "/key/oneOf/1/items"].first { path.hasSuffix($0) }
        found.insert(isRing.map { String(path.dropLast($0.count - 4)) } ?? path)
    }

    private func collect(_ node: JSONText, _ path: String, _ found: inout Set<String>) {
        if node["$ref"].string == Self.secret { add(path, &found) }
        for name in node.names { collect(node[name], "\(path)/\(name)", &found) }
        for (index, element) in node.list.enumerated() { collect(element, "\(path)/\(index)", &found) }
    }

    private func follow(_ node: JSONText, _ path: String, _ value: Any, _ found: inout Set<String>) {
        if let reference = node["$ref"].string {
            if reference == Self.secret, value is String { add(path, &found) }
            guard reference.hasPrefix("#/"), reference != Self.secret else { return }
            let names = reference.dropFirst(2).split(separator: "/").map(String.init)
            return follow(names.reduce(root) { $0[$1] }, "/" + names.joined(separator: "/"), value, &found)
        }
        for (name, member) in value as? [String: Any] ?? [:] {
            if node["properties"][name].exists {
                follow(node["properties"][name], "\(path)/properties/\(name)", member, &found)
            } else {
                follow(node["additionalProperties"], "\(path)/additionalProperties", member, &found)
            }
        }
        for element in value as? [Any] ?? [] { follow(node["items"], "\(path)/items", element, &found) }
        for (index, choice) in node["oneOf"].list.enumerated() where fits(choice, value) {
            follow(choice, "\(path)/oneOf/\(index)", value, &found)
        }
    }

    /// Whether an issuer has the module of an alternative.
    private func fits(_ choice: JSONText, _ value: Any) -> Bool {
        let modules = choice["properties"]["module"]["enum"].strings
        guard !modules.isEmpty else { return true }
        return ((value as? [String: Any])?["module"] as? String).map(modules.contains) ?? false
    }
}

import Bytes
import Configuration
import Declaration
import Model
import Testing

/// Files with comments and commas before closing brackets, and lists beside the name of their schema.
@Suite struct JSONCTests {
    private func plain(_ text: String) -> String { String(decoding: JSONC.plain(Array(text.utf8)), as: UTF8.self) }

    @Test(
        "comments and commas before closing brackets become blanks, and nothing else changes",
        arguments: [
            ("[1, // one\n2]", "[1,       \n2]"), ("[1, /* é\r\n */ 2]", "[1,      \r\n    2]"),
            ("{\"a\": 1,}", "{\"a\": 1 }"), ("[1, /* , */ ]", "[1          ]"), ("[[1,],]", "[[1 ] ]"),
            ("[\"a//b\", \"/*\", \"\\\",]\"]", "[\"a//b\", \"/*\", \"\\\",]\"]"), ("// end", "      "),
            ("[]/**/", "[]    "), ("[1 /]", "[1 /]"), ("[1] /* no end", "[1] /* no end"),
        ])
    func blanks(_ text: String, _ expected: String) {
        #expect(plain(text) == expected)
        #expect(JSONC.plain(Array(text.utf8)).count == text.utf8.count)
    }

    @Test(
        "what JSON with comments has not either stays wrong",
        arguments: ["[,]", "[1,,]", "{,}", "[1, /]", "{\"a\":,}", ",", "[1] 2", "{a: 1}", "['a']", "[1 /* no end]"])
    func wrong(_ text: String) {
        #expect(throws: JSONError.self) { _ = try JSONNode.parse(Array(text.utf8), file: "a.jsonc") }
    }

    @Test("a file may have comments where its name says so, and each section stands in one file")
    func files() throws {
        let gateway = ConfigurationDirectory.gateway("// how many\n\"workers\": 3,")
        let directory = try ConfigurationDirectory(
            ["gateway.jsonc": gateway, "roles.jsonc": "[\n\"Manager\", // runs it\n\"Clerk\",\n]"], on: [:])
        let loaded = directory.load()
        #expect(loaded.lines(.error) == [])
        #expect(loaded.configuration?.workers == 3)
        #expect(loaded.configuration?.roles.names == ["Manager", "Clerk"])
        #expect(loaded.file(ofSection: "roles") == "roles.jsonc")
        #expect(loaded.file(ofSection: "listeners") == "gateway.jsonc")
        try directory.write("roles.jsonc", "[\n// first\n5 /* a\nnumber */, \"a\", \"a\"]")
        #expect(
            directory.load().lines(.error).map { $0.prefix(30) } == [
                "roles.jsonc:3: error: /roles/0", "roles.jsonc:4: error: /roles/2",
            ])
        try directory.write("roles.jsonc", "[1 /* no end]")
        #expect(
            directory.load().lines(.error) == [
                "roles.jsonc:1: error: /roles: malformed JSON at column 4: the comment has no end (expected */)"
            ])
        try directory.write("roles.jsonc", "[]")
        try directory.write("roles.json", "[]")
        try directory.write("gateway.json", ConfigurationDirectory.gateway())
        #expect(
            directory.load().lines(.error) == [
                "gateway.jsonc:1: error: gateway.json exists as well (expected one of the two)",
                "roles.jsonc:1: error: /roles: the section \"roles\" stands in roles.json as well (expected one of the two)",
            ])
    }

    @Test("a list may stand beside the name of its schema; places are those of the list")
    func schema() throws {
        let directory = try ConfigurationDirectory([
            "roles.json": "{\"$schema\": \"schema/roles.schema.json\",\n\"roles\": [\"Clerk\"]}",
            "users.json": "{\"$schema\": \"x\", \"users\": [\n{\"username\": \"a\", \"roles\": [\"Clark\"]}]}",
        ])
        #expect(
            directory.load().lines(.error) == [
                "users.json:2: error: /users/0/roles/0: unknown role \"Clark\" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one; did you mean \"Clerk\"?)"
            ])
        try directory.write("users.json", "{\"users\": [],\n\"user\": []}")
        #expect(
            directory.load().lines(.error) == [
                "users.json:2: error: /users: unknown member \"user\" (expected \"$schema\" and \"users\")"
            ])
        try directory.write("users.json", "{\"$schema\": \"x\"}")
        #expect(directory.load().lines(.error).first?.hasPrefix("users.json:1: error: /users: wrong type") == true)
    }

    private func edited(_ text: String, _ edit: (inout SectionText) -> Void) throws -> String {
        var section = try SectionText(file: "roles.jsonc", bytes: Array(text.utf8), section: "roles")
        edit(&section)
        #expect(throws: Never.self) { _ = try JSONNode.parse(section.bytes, file: "roles.jsonc") }
        return String(decoding: section.bytes, as: UTF8.self)
    }

    @Test("changes leave comments where they are")
    func edits() throws {
        let text = "[\n  \"A\", // first\n  // about the second, [\n  \"B\", // second\n]\n"
        #expect(
            try edited(text) { $0.append([.text("C")]) }
                == text.replacing("\"B\"", with: "\"B\",\n  \"C\""))
        #expect(try edited(text) { $0.remove([.element(0)]) } == text.replacing("\"A\",", with: ""))
        #expect(
            try edited(text) { $0.remove([.element(1)]) }
                == text.replacing("\"A\",", with: "\"A\"").replacing("\"B\"", with: ""))
        #expect(try edited(text) { $0.replace([.element(1)], with: .text("D")) } == text.replacing("B", with: "D"))
        #expect(
            try edited("{\"$schema\": \"x\", /* , */ \"roles\": [\"A\"] /* all */}") { $0.append([.text("B")]) }
                == "{\"$schema\": \"x\", /* , */ \"roles\": [\"A\", \"B\"] /* all */}")
    }
}

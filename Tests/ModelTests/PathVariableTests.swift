import Bytes
import Model
import TestSupport
import Testing

@Suite struct PathVariableTests {
    private func value(_ pattern: PathPattern, _ name: String, _ path: String) -> String? {
        pattern.value(of: name, in: path.utf8.span).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a value is the decoded segment of the canonical path",
        arguments: [
            ("/users/{id}", "id", "/users/42", "42"), ("/users/{id}/orders/{order}", "id", "/users/a/orders/b", "a"),
            ("/users/{id}/orders/{order}", "order", "/users/a/orders/b", "b"), ("/{a}", "a", "/x", "x"),
            ("/{a_B1}/**", "a_B1", "/x/y/z", "x"), ("/a/*/{b}", "b", "/a/x/y", "y"),
            ("/u/{id}", "id", "/u/a%20b%25%C3%A4", "a b%\u{e4}"), ("/u/{id}", "id", "/u/%2541", "%41"),
            ("/u/{id}", "id", "/u/a@b.example", "a@b.example"),
        ])
    func values(_ pattern: String, _ name: String, _ path: String, _ expected: String) throws {
        #expect(try value(PathPattern(pattern), name, path) == expected)
    }

    @Test(
        "a segment with a parameter has no value, nor have a path that does not match and another name",
        arguments: [
            ("/u/{id}", "id", "/u/42;x=1"), ("/u/{id}", "id", "/u/42%3Bx=1"), ("/u/{id}", "id", "/u/42;"),
            ("/u/{id}", "id", "/u"), ("/u/{id}", "id", "/u/"), ("/u/{id}", "name", "/u/42"), ("/u/*", "*", "/u/42"),
            ("/u/{id}", "id", ""), ("/u/{id}", "id", "/u/4%2"),
        ])
    func none(_ pattern: String, _ name: String, _ path: String) throws {
        #expect(try value(PathPattern(pattern), name, path) == nil)
    }

    @Test func names() {
        let pattern: PathPattern = "/users/{id}/orders/{order}/**"
        #expect(pattern.variableNames == ["id", "order"])
        #expect(pattern.place(of: "order") == 3 && pattern.place(of: "x") == nil)
        #expect(pattern.text == "/users/{id}/orders/{order}/**" && pattern.form == "/users/*/orders/*/**")
        #expect(pattern == "/users/*/orders/*/**" && pattern == "/users/{a}/orders/{b}/**")
        #expect(Set([pattern, "/users/{a}/orders/{b}/**"]).count == 1)
        #expect(pattern != "/users/*/orders/*")
        #expect(("/a/*" as PathPattern).variableNames.isEmpty && ("/a/{b}" as PathPattern).covers("/a/c"))
    }

    @Test(
        "what is no variable",
        arguments: [
            ("/{id}x", PathPattern.Problem.partialVariable), ("/x{id}", .partialVariable), ("/{", .partialVariable),
            ("/}", .partialVariable), ("/{a}{b}", .partialVariable), ("/{a", .partialVariable),
            ("/{{a}}", .partialVariable),
            ("/{}", .variableName), ("/{Id}", .variableName), ("/{1}", .variableName), ("/{a-b}", .variableName),
            ("/{a*}", .variableName), ("/{\u{e4}}", .variableName), ("/{**}", .variableName),
            ("/{id}/{id}", .repeatedVariable),
        ])
    func invalid(_ text: String, _ problem: PathPattern.Problem) {
        #expect(throws: problem) { try PathPattern(text) }
    }

    @Test("a prefix has no variables") func prefixes() { #expect(PathPrefix("/{a}") == nil) }
}

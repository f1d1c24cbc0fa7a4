import Testing

/// The other tests are only as good as the scanner they look through.
@Suite struct SwiftTextTests {
    @Test(arguments: [
        ("let a = 1 // unsafe", "let a = 1          "),
        ("a /* x /* y */ z */ b", "a                   b"),
        ("\"// no comment\" unsafe", "\"             \" unsafe"),
        ("\"a\\\"b\" c", "\"    \" c"),
        ("\"a\\(f(\"x\") + 1)b\" c", "\"   f(\" \") + 1  \" c"),
        ("#\"a\\(b)\"c\"# d", "#\"       \"# d"),
        ("\"\"\"\n a \"quoted\" b\n\"\"\" c", "\"\"\"\n             \n\"\"\" c"),
    ])
    func blanksCommentsAndStrings(_ text: String, _ expected: String) {
        #expect(SwiftText.parts(text).code == expected)
    }

    @Test(arguments: [
        ("let a = 1 // why", "          // why"), ("a /* x */ \"b // c\"", "  /* x */         "),
        ("\"\"\"\n// text\n\"\"\" // why", "   \n       \n    // why"),
    ])
    func keepsComments(_ text: String, _ expected: String) {
        #expect(SwiftText.parts(text).comments == expected)
    }

    @Test func importsAreFoundInEveryForm() {
        let file = SourceFile(
            path: "Sources/X/Y.swift",
            text: """
                // import Comment
                package import Bytes
                @preconcurrency import Dispatch
                @_spi(X) import HTTP
                import struct Foundation.URL
                let text = "import Text"
                let important = imports
                """
        )
        #expect(file.imports == ["Bytes", "Dispatch", "HTTP", "Foundation"])
    }

    @Test func thePackageIsFound() {
        #expect(SourceTree.sources.contains { $0.path == "Sources/Bytes/Storage/Chunk.swift" && $0.module == "Bytes" })
        #expect(SourceTree.tests.contains { $0.path == "Tests/ArchitectureTests/SwiftTextTests.swift" })
    }
}

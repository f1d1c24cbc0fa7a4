import Testing

/// Why a request ended is a `Reason`, wherever it is said.
@Suite struct ReasonTests {
    @Test(arguments: SourceTree.sources)
    func noReasonIsAString(_ file: SourceFile) {
        let literals = file.text.matches(of: /\breason: "/)
        #expect(literals.isEmpty, "\(file.path) has a reason as a string: use a case of Model.Reason")
    }
}

import Testing

/// The paths of the gateway's endpoints stand in the lists of their families, and nowhere else.
@Suite struct EndpointTests {
    static let folder = "Sources/Model/Endpoints/"

    /// The literals of paths in the lists, with what they are told apart by: those of reserved patterns have a wildcard.
    static let paths: [String] = SourceTree.sources.filter { $0.path.hasPrefix(folder) }.flatMap { file in
        file.text.matches(of: /"(\/[\w.\/~*-]+)"/).map { String($0.1) }
    }

    @Test func eachStandsOnce() {
        #expect(Self.paths.count > 20)
        #expect(Set(Self.paths).count == Self.paths.count)
    }

    @Test(arguments: SourceTree.sources.filter { !$0.path.hasPrefix(folder) })
    func noOtherFileHasThem(_ file: SourceFile) {
        for path in Self.paths {
            // Below a path that ends in a slash everything is the endpoint's.
            let literal = path.hasSuffix("/") ? "\"\(path)" : "\"\(path)\""
            #expect(!file.text.contains(literal), "\(file.path) has the path \(path) of an endpoint")
        }
    }

    @Test func theReferenceHasThem() throws {
        let text = try SourceTree.text("config/endpoints.md")
        for path in Self.paths where !path.contains("*") {
            #expect(text.contains(path), "config/endpoints.md: \(path)")
        }
    }
}

import Testing

/// A kind of store, of identity provider, of policy server and of credential is known to its own files and to a list.
@Suite struct KindTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What names it in code and in literals, without case.
        let word: String
        /// The files that may: those whose path has the word, and the list.
        let list: String
        /// Other files that name it in another sense, with the reason.
        var exempt: [String: String] = [:]
    }

    static let kinds = [
        Kind(testDescription: "store, Redis", word: "redis", list: "Sources/Configuration/Stores/StoreKinds.swift")
    ]

    /// Files that name a kind though they are neither its own nor the list. `Conversion` reads files of other programs.
    static func outsiders(of kind: Kind) -> [String] {
        SourceTree.sources.filter { file in
            file.module != "Conversion" && !file.path.lowercased().contains(kind.word) && file.path != kind.list
                && kind.exempt[file.path] == nil && names(file, kind.word)
        }.map(\.path)
    }

    private static func names(_ file: SourceFile, _ word: String) -> Bool {
        func count(_ text: String) -> Int { text.lowercased().ranges(of: word).count }
        return count(file.text) > count(file.comments)
    }

    @Test("other files do not name a kind", arguments: kinds)
    func outsiders(_ kind: Kind) throws {
        #expect(Self.outsiders(of: kind) == [])
        let list = try #require(SourceTree.sources.first { $0.path == kind.list }, "the list has moved")
        #expect(Self.names(list, kind.word), "the list does not name it any more")
        for path in kind.exempt.keys {
            #expect(SourceTree.sources.contains { $0.path == path && Self.names($0, kind.word) }, "\(path)")
        }
    }
}

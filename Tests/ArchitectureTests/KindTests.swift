import Testing

/// A kind of store, of identity provider, of policy server and of credential is known to its own files and to a list.
@Suite struct KindTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The files that may name it: its own, whose path has the word, and the list.
        let word: String
        let list: String
        /// Whether a file names it.
        let isNamed: @Sendable (SourceFile) -> Bool
    }

    static let kinds = [
        Kind(
            testDescription: "store, Redis", word: "redis", list: "Sources/Configuration/Stores/StoreKinds.swift",
            isNamed: { mentions($0) { $0.contains("redis") } }),
        Kind(
            testDescription: "identity provider, SAML", word: "saml",
            list: "Sources/Configuration/Providers/ProviderKinds.swift",
            isNamed: { file in
                // Assertions of SAML are credentials, too.
                file.words.contains { $0.hasPrefix("SAMLProvider") || $0.hasPrefix("SAMLLogin") }
                    || file.words.contains { $0 == "IdentityProviderEntry" || $0 == "BrowserIdentityProvider" }
                        && mentions(file) { $0.contains("saml") }
            }),
        Kind(
            testDescription: "policy server, Open Policy Agent", word: "opaformat",
            list: "Sources/Model/Settings/PolicyFormats.swift",
            isNamed: { mentions($0) { $0 == "opa" || $0 == "opaformat" } }),
        Kind(
            testDescription: "credential, SAML assertion", word: "assertion",
            list: "Sources/Model/Routes/Credentials/CredentialKinds.swift",
            isNamed: { file in
                file.words.contains { $0 == "AssertionKind" || $0 == "AssertionCredentials" }
                    || file.text.contains("kind == .saml")
            }),
    ]

    /// Whether a word of code or of a literal is meant, in lower case.
    private static func mentions(_ file: SourceFile, _ isMeant: (Substring) -> Bool) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.filter(isMeant)
        }
        return words(file.text).count > words(file.comments).count
    }

    /// Files that name a kind though they are neither its own nor the list. `Conversion` reads files of other programs.
    static func outsiders(of kind: Kind) -> [String] {
        SourceTree.sources.filter { file in
            file.module != "Conversion" && !file.path.lowercased().contains(kind.word) && file.path != kind.list
                && kind.isNamed(file)
        }.map(\.path)
    }

    @Test("other files do not name a kind", arguments: kinds)
    func outsiders(_ kind: Kind) throws {
        #expect(Self.outsiders(of: kind) == [])
        let list = try #require(SourceTree.sources.first { $0.path == kind.list }, "the list has moved")
        #expect(kind.isNamed(list), "the list does not name it any more")
    }
}

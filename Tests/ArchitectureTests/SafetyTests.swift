import Testing

/// Where unsafe code, unchecked sharing and escapes from the compiler's checks may stand.
@Suite struct SafetyTests {
    /// Directories and files whose code may be unsafe.
    static let unsafePlaces = [
        "Sources/Bytes/Storage/",
        "Sources/Reactor/Syscalls/",
        "Sources/Crypto/",
        "Sources/HTTP/H2/",
        "Sources/HTTP/Method.swift",
        "Sources/Identity/SAML/Library/",
        "Sources/Model/Reason.swift",
        "Sources/TokenStorage/SQLite/SQLiteLibrary.swift",
        "Sources/TokenStorage/SQLite/SQLiteConnection.swift",
        "Sources/TokenStorage/SQLite/SQLiteConnection+Statement.swift",
        "Sources/TokenStorage/SQLite/SQLiteFiles.swift",
    ]

    /// Files with a type that is `@unchecked Sendable`, each of which says why beside it: handles of libcrypto that are
    /// immutable, counted by it, or under a mutex.
    static let uncheckedSendable: Set<String> = [
        "Sources/Crypto/ContextPool.swift",
        "Sources/Crypto/DigestAlgorithm.swift",
        "Sources/Crypto/DigestAlgorithm+HMAC.swift",
        "Sources/Crypto/KeyObject.swift",
        "Sources/Crypto/TLS/CertificateObject.swift", "Sources/Crypto/TLS/CertificateRevocationList.swift",
        "Sources/Crypto/TLS/TLSContextObject.swift",
        "Sources/Crypto/TLS/TLSSessionCache.swift",
    ]

    @Test("only a review of rules does without secrets: no gateway starts with a placeholder")
    func absencesAreOfReviews() {
        let places = SourceTree.sources.filter { $0.words.contains("Absences") && $0.text.contains("Absences(") }
        #expect(places.map(\.path) == ["Sources/portcullis/Assembly/Assembly+Review.swift"])
        #expect(
            SourceTree.sources.filter { $0.text.contains("Assembly.review") }.allSatisfy { file in
                ["Access", "Diff", "Expect", "Replay"].contains {
                    file.path.hasPrefix("Sources/portcullis/Commands/\($0)/")
                }
            })
    }

    static func mayBeUnsafe(_ path: String) -> Bool {
        unsafePlaces.contains { path == $0 || ($0.hasSuffix("/") && path.hasPrefix($0)) }
    }

    /// Every unsafe expression has the keyword, since strict memory safety is on and warnings are errors; the names are
    /// looked for too, in case a setting is lost.
    static func unsafeLines(_ file: SourceFile) -> [Int] {
        let isUnsafe = file.words.contains { word in
            word == "safe" || word == "_overrideLifetime" || word == "Unmanaged" || word.contains("unsafe")
                || word.contains("Unsafe")
        }
        guard isUnsafe else { return [] }
        return file.lines(
            matching: /\bunsafe\b|@safe\b|Unsafe\w*|\bwithUnsafe\w+|\bunsafe[A-Z]\w*|_overrideLifetime|\bUnmanaged\b/)
    }

    @Test(arguments: SourceTree.sources)
    func unsafeCodeStandsOnlyInListedPlaces(_ file: SourceFile) {
        guard !Self.mayBeUnsafe(file.path) else { return }
        #expect(Self.unsafeLines(file).isEmpty, "\(file.path): unsafe code")
    }

    /// The comment says what keeps the pointer alive; where a whole file is about one stored pointer, one is enough.
    @Test(arguments: SourceTree.sources.filter { !unsafeLines($0).isEmpty })
    func unsafeFilesSayWhyTheyAreSafe(_ file: SourceFile) {
        #expect(file.text.contains("// SAFETY"), "\(file.path): unsafe code without a SAFETY comment")
    }

    @Test(arguments: SourceTree.sources)
    func uncheckedSendableIsListed(_ file: SourceFile) {
        guard !file.words.isDisjoint(with: ["unchecked", "nonisolated", "preconcurrency"]) else { return }
        let lines = file.lines(matching: /@unchecked\s+Sendable|nonisolated\(unsafe\)|@preconcurrency/)
        #expect(lines.isEmpty || Self.uncheckedSendable.contains(file.path), "\(file.path): lines \(lines)")
    }

    /// An entry that outlives its file would let a new one in unseen.
    @Test func listedFilesExist() {
        for path in Self.uncheckedSendable {
            #expect(SourceTree.sources.contains { $0.path == path }, "\(path) is listed and gone")
        }
    }

    @Test(arguments: SourceTree.sources)
    func errorsAreNotSilenced(_ file: SourceFile) {
        guard file.code.contains("try!") || file.code.contains("as!") else { return }
        #expect(file.lines(matching: /\btry!|\bas!/).isEmpty, "\(file.path): try! or as!")
    }
}

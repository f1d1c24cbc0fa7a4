import Testing

/// Types and not files: what a rule about the size of files lets a type grow into. What is over a limit is listed, and may
/// only shrink.
@Suite struct TypeTests {
    static let mostMembers = 60
    static let mostFiles = 8
    static let longestCycle = 5

    /// Types over the limits: members over all extensions, files, and why the type is not cut.
    static let largeTypes: [String: (members: Int, files: Int, reason: String)] = [
        "Configuration.Field": (83, 28, "readers of values; each stands beside the section that it is for"),
        "Configuration.GatewayConfiguration": (90, 11, "one property a section, and the checks between sections"),
        "Configuration.Shape": (68, 7, "readers of values and their declarations, for all sections"),
        "HTTP.H2Session": (91, 3, "callbacks and calls of one nghttp2 session, which share its state"),
        "PortcullisClient.GatewayClient": (83, 9, "the interface of applications"),
        "Reactor.Poller": (92, 5, "the interface of the loop; its engines are types of their own"),
    ]

    @Test("a type has few members in few files")
    func sizes() {
        for (name, entry) in TypeIndex.sources.types {
            let listed = Self.largeTypes[name]
            #expect(
                entry.members <= max(Self.mostMembers, listed?.members ?? 0),
                "\(name) has \(entry.members) members")
            #expect(
                entry.files.count <= max(Self.mostFiles, listed?.files ?? 0), "\(name) is in \(entry.files.count) files"
            )
        }
    }

    @Test("types that are listed as large are large", arguments: largeTypes.keys.sorted())
    func largeTypesAreLarge(_ name: String) throws {
        let entry = try #require(TypeIndex.sources.types[name], "\(name) is no type any more")
        #expect(
            entry.members > Self.mostMembers || entry.files.count > Self.mostFiles, "\(name) need not be listed")
        let listed = try #require(Self.largeTypes[name])
        #expect(
            entry.members == listed.members && entry.files.count == listed.files,
            "\(name) has \(entry.members) members in \(entry.files.count) files")
    }

    @Test("few files of a folder need each other")
    func cycles() {
        for group in TypeIndex.sources.cycles(SourceTree.sources) {
            #expect(group.count <= Self.longestCycle, "\(group.count) files need each other: \(group)")
        }
    }

    @Test func scannerCountsMembersOfExtensions() {
        let text = """
            struct A { let a = 1; var b: Int { if let x = c { return x }; return 0 }; struct B { func c() {} } }
            extension A { static func d(_ e: (Int) -> Int) { let f = { g in g } } ; class func h() {} }
            extension A.B { init() {} }
            extension String { var i: Int { 0 } }
            """
        let index = TypeIndex([SourceFile(path: "Sources/M/A.swift", text: text)])
        #expect(index.types.mapValues(\.members) == ["M.A": 4, "M.A.B": 2])
    }
}

import Testing

/// Types and not files: what a rule about the size of files lets a type grow into. What is over a limit is listed, and may
/// only shrink.
@Suite struct TypeTests {
    static let mostMembers = 60
    static let mostFiles = 8
    static let longestCycle = 5

    /// Types over the limits: members over all extensions, and files.
    static let largeTypes: [String: (members: Int, files: Int)] = [
        "Configuration.Field": (87, 28),
        "Configuration.GatewayConfiguration": (87, 11),
        "HTTP.H2Session": (91, 3),
        "MobileSocial.MobileSocialService": (105, 13),
        "OAuthServer.TokenService": (62, 12),
        "PortcullisClient.GatewayClient": (83, 9),
        "Reactor.Poller": (94, 8),
        "portcullis.Administration": (94, 13),
        "portcullis.Assembly": (128, 22),
    ]

    /// Folders with more than `longestCycle` files that need each other: files of the longest cycle.
    static let longCycles: [String: Int] = [
        "Sources/Configuration/Reading": 11,
        "Sources/Configuration/Sections": 28,
        "Sources/Crypto/TLS": 7,
        "Sources/Gateway/Upstream": 10,
        "Sources/HTTP/H2": 13,
        "Sources/Identity": 9,
        "Sources/Identity/Assertions": 7,
        "Sources/Issuers": 8,
        "Sources/JOSE": 9,
        "Sources/MobileSocial": 12,
        "Sources/Reactor": 14,
        "Sources/UserProfiles": 6,
        "Sources/portcullis/Administration": 19,
        "Sources/portcullis/Assembly": 28,
        "Sources/portcullis/Commands": 35,
        "Sources/portcullis/Commands/Client": 6,
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
    }

    @Test("few files of a folder need each other")
    func cycles() {
        var longest: [String: [String]] = [:]
        for group in TypeIndex.sources.cycles(SourceTree.sources) {
            let folder = group[0].split(separator: "/").dropLast().joined(separator: "/")
            if group.count > longest[folder, default: []].count { longest[folder] = group }
        }
        for (folder, group) in longest {
            let limit = max(Self.longestCycle, Self.longCycles[folder] ?? 0)
            #expect(group.count <= limit, "\(folder): \(group.count) files need each other: \(group)")
        }
        for (folder, limit) in Self.longCycles {
            #expect(
                longest[folder, default: []].count > Self.longestCycle, "\(folder) (\(limit)) need not be listed")
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

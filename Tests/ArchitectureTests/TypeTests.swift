import Testing

/// Types and not files: what a rule about the size of files lets a type grow into. What is over a limit is listed, and may
/// only shrink.
@Suite struct TypeTests {
    static let mostMembers = 50
    static let mostFiles = 8

    /// Types over the limits: members over all extensions, files, and why the type is not cut.
    static let largeTypes: [String: (members: Int, files: Int, reason: String)] = [
        "Declaration.Field": (84, 11, "readers of values; each stands beside the section that it is for"),
        "Configuration.GatewayConfiguration": (90, 11, "one property a section, and the checks between sections"),
        "Conversion.OAuth2ProxyConversion": (61, 4, "one method for each group of options of another proxy"),
        "Declaration.Shape": (77, 5, "readers of values and their declarations, for all sections"),
        "Gateway.ClientFrontend": (60, 5, "the connections of clients; to be cut by protocol"),
        "Gateway.Exchange": (60, 5, "the state of one request, which every stage reads"),
        "Gateway.Responder": (60, 7, "one method for each answer of the gateway's own; to be cut by their kinds"),
        "Gateway.SharedState": (55, 2, "what all workers have in common; to be handed out in parts"),
        "HTTP.H2Session": (91, 3, "callbacks and calls of one nghttp2 session, which share its state"),
        "HTTP.H2Stream": (53, 2, "the state of one stream, which the callbacks of nghttp2 share"),
        "Authorization.LoginFlow": (51, 4, "the one flow of all logins: form, choice, provider, further steps, logout"),
        "Policy.PolicySnapshot": (57, 7, "one property a section; parts are built in targets of their own"),
        "Policy.Route": (58, 3, "its entry, and what decisions need of it, derived once"),
        "PortcullisClient.GatewayClient": (83, 9, "the interface of applications"),
        "Reactor.Poller": (96, 5, "the interface of the loop; its engines are types of their own"),
    ]

    /// Types whose members are constants of the type itself, as the cases of an enum are.
    private static let catalogues: Set = ["Model.Reason"]

    @Test("a type has few members in few files")
    func sizes() {
        for (name, entry) in TypeIndex.sources.types where !Self.catalogues.contains(name) {
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

    /// The files of the largest cycle of each target, by target; empty where there is none.
    static let cycles: [String: [String]] = Dictionary(
        uniqueKeysWithValues: SourceTree.modules.map { module in
            let graph = FileGraph(SourceTree.sources.filter { $0.module == module })
            return (module, graph.cycles.max { $0.count < $1.count } ?? [])
        })

    @Test("few parts of a target need each other", arguments: SourceTree.modules)
    func cycles(_ target: String) throws {
        let cycle = try #require(Self.cycles[target])
        let ceiling = Ceilings.cycles[target] ?? (1, "")
        Ceilings.expect("parts in a cycle of \(target)", max(cycle.count, 1), is: ceiling.size, offenders: cycle)
        #expect(
            ceiling.size <= Ceilings.mostInCycle || !ceiling.reason.isEmpty, "a ceiling over the limit has its reason")
        #expect(Ceilings.cycles.keys.allSatisfy(SourceTree.modules.contains))
    }

    @Test func aTypeIsOnePartOfItsTarget() {
        let texts = [
            "A.swift": "struct A { let b: B }", "A+More.swift": "extension A { func c() { D() }; enum E {} }",
            "B.swift": "struct B { func f() { A.E } }; private struct H {}", "D.swift": "struct D { let g: G }",
            "G.swift": "func H() { E.self }; struct G {}",
        ]
        var files = texts.map { SourceFile(path: "Sources/M/\($0.key)", text: $0.value) }
        #expect(FileGraph(files).cycles == [["Sources/M/A.swift", "Sources/M/B.swift"]])
        files.append(SourceFile(path: "Sources/M/G+More.swift", text: "extension G { func i(_ a: A) {} }"))
        #expect(FileGraph(files).cycles == [["A", "B", "D", "G"].map { "Sources/M/\($0).swift" }])
    }

    @Test func scannerCountsMembersOfExtensions() {
        let text = """
            struct A { let a = 1; var b: Int { if let x = c { return x }; return 0 }; struct B { func c() {} } }
            extension A { static func d(_ e: (Int) -> Int) { let f = { g in g } } ; class func h() {} }
            extension A.B { init() {} }
            extension String { var i: Int { 0 } }
            """
        let other = SourceFile(path: "Sources/N/A.swift", text: "extension A { var j: Int { 0 } }")
        let index = TypeIndex([SourceFile(path: "Sources/M/A.swift", text: text), other])
        #expect(index.types.mapValues(\.members) == ["M.A": 5, "M.A.B": 2])
        #expect(index.types["M.A"]?.files == ["Sources/M/A.swift"])
    }
}

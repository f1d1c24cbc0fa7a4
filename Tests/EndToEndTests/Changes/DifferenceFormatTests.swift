import Testing

/// What pipelines do with `portcullis diff`: its Markdown for pull requests, and which classes are a failure.
@Suite struct DifferenceFormatTests {
    private func diff(
        _ words: String..., to change: @escaping (inout FixtureSettings) -> Void
    ) throws -> (output: String, ending: Program.Ending) {
        let directories = try [{ _ in }, change].map { (change: (inout FixtureSettings) -> Void) in
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            change(&settings)
            return try ConfigurationDirectory(["gateway.json": settings.text])
        }
        let result = try CommandLine.run(["diff"] + directories.map(\.path) + words)
        return (result.output + result.errors, result.ending)
    }

    private func reading(_ roles: String) -> String {
        FixtureSettings.list(FixtureSettings.routes.map { $0.replacing(#"["Manager", "Clerk"]"#, with: roles) })
    }

    @Test("Markdown is a table of the classes, those who gain first, and no text of the configuration is markup")
    func markdown() throws {
        let name = #"a|b`<i>&*@acme https://x.example [y](z) \\"#
        let changed = try diff("--format", "markdown") {
            $0["users"] = FixtureSettings.users().replacing(#""username": "bob""#, with: #""username": "\#(name)""#)
                .replacing("\"roles\": []", with: #""roles": ["Manager"]"#)
            $0.addRoutes(#"{"path": "/new/**", "upstream": "stub", "public": true}"#)
            $0["trustedIssuers"] = """
                [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "idp.jwks",
                  "authorizedParties": ["x"]}]
                """
        }
        #expect(changed.ending == .exit(1), "\(changed.output)")
        let lines = changed.output.split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| ") }
        #expect(
            lines.first?.hasPrefix("**Access: ") == true && rows.first == "| | Who | Method | Path | Before | After |")
        #expect(
            rows.contains(
                "| **gained** | <code>callers without a credential</code> | <code>any method</code> | <code>/new/&#42;&#42;</code> | "
                    + "<code>refused, 404 no&#95;route</code> | <code>forwarded, to stub</code> |"),
            "\(changed.output)")
        // Six cells a row: no text ends one.
        #expect(rows.allSatisfy { $0.count { $0 == "|" } == 7 })
        let firstOther = rows.firstIndex { $0.hasPrefix("| lost") } ?? rows.count
        #expect(!rows[firstOther...].contains { $0.contains("gained") })
        #expect(
            changed.output.contains(
                "a&#124;b&#96;&#60;i&#62;&#38;&#42;&#64;acme https&#58;//x&#46;example &#91;y&#93;&#40;z&#41; &#92;"))
        #expect(!changed.output.contains("@") && !changed.output.contains("`") && !changed.output.contains("<i>"))
        #expect(changed.output.contains("- <code>not read here&#58; file&#58;idp&#46;jwks"), "\(changed.output)")
        let same = try diff("--format", "markdown") { $0["workers"] = "3" }
        #expect(
            same.output == """
                **Access: 0 gained, 0 lost, 0 changed, 0 undecided**

                No request is decided differently.

                - <code>also changed&#58; &#34;workers&#34;</code>
                """)
        let undecided = try diff("--format", "markdown") { $0["passwords"] = #"{"minLength": 12}"# }
        #expect(undecided.output.contains("\n**UNDECIDED**\n\n- <code>&#34;passwords&#34; has changed"))
    }

    @Test("Markdown fits into a comment, and says how much it leaves out")
    func bounds() throws {
        let names = (100..<260).map { "upstream-with-a-name-that-is-long-\($0)" }
        let changed = try diff("--format", "markdown") { settings in
            let upstreams = names.map { #""\#($0)": {"url": "http://127.0.0.1:9"}"# }
            settings["upstreams"] = "{\(upstreams.joined(separator: ",")), \"stub\": {\"url\": \"http://127.0.0.1:9\"}}"
            settings["routes"] = FixtureSettings.list(
                names.map { #"{"path": "/\#($0)", "upstream": "\#($0)", "public": true}"# } + FixtureSettings.routes)
        }
        let rows = changed.output.split(separator: "\n").count { $0.hasPrefix("| **gained**") }
        let all = try #require(changed.output.firstMatch(of: /Access: (\d+) gained/).flatMap { Int($0.1) })
        #expect(changed.output.utf8.count <= 60_000 && rows > 50 && rows < all)
        #expect(
            changed.output.contains("\nLeft out: \(all - rows) of \(all) classes.\n"), "\(changed.output.suffix(300))")
    }

    @Test("--fail-on says which classes are a failure, each kind with those of more weight")
    func failures() throws {
        let changes: [(change: (inout FixtureSettings) -> Void, kinds: Set<String>)] = [
            ({ _ in }, []),
            (
                { $0.addRoutes(#"{"path": "/new", "upstream": "stub", "public": true}"#) },
                ["gained", "lost", "changed"]
            ),
            ({ $0["routes"] = reading(#"["Manager"]"#) }, ["lost", "changed"]),
            (
                {
                    $0["routes"] = FixtureSettings.list(
                        FixtureSettings.routes.map {
                            $0.replacing(
                                #""public": true"#,
                                with: #""public": true, "requestHeaders": {"set": {"X-Stage": "a"}}"#)
                        })
                }, ["changed"]
            ),
        ]
        for (change, kinds) in changes {
            for kind in ["gained", "lost", "changed"] {
                let result = try diff("--fail-on", kind, to: change)
                #expect(result.ending == .exit(kinds.contains(kind) ? 1 : 0), "\(kind): \(result.output)")
            }
        }
        #expect(try diff("--fail-on", "all") { _ in }.ending == .exit(2))
        #expect(try diff("--format", "xml") { _ in }.ending == .exit(2))
    }
}

import Configuration
import Declaration
import Model
import Synchronization
import Testing

/// GW-12
@Suite struct SecretTests {
    private func client(_ secret: String) -> [String: String] {
        [
            "backends.json": """
            [{ "name": "inventory", "version": "1.0", "mobileBackendId": "m", "clientId": "c", "clientSecret": "\(secret)" }]
            """
        ]
    }

    @Test func fromTheEnvironment() throws {
        let loaded = try ConfigurationDirectory(client("env:INV_SECRET")).load(["INV_SECRET": "s3cret"])
        let secret = try #require(loaded.configuration?.clients[0].client.clientSecret)
        #expect(secret.value == "s3cret" && secret.origin == .environment)
    }

    @Test(arguments: [("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s3cret\n\n", "s3cret\n"), (" s ", " s ")])
    func fromAFileRelativeToTheDirectory(content: String, value: String) throws {
        let directory = try ConfigurationDirectory(client("file:inv.secret"))
        try directory.write("inv.secret", content)
        let secret = try #require(directory.load().configuration?.clients[0].client.clientSecret)
        #expect(secret.value == value && secret.origin == .file)
    }

    @Test func fromAnAbsoluteFile() throws {
        let other = try ConfigurationDirectory([:])
        try other.write("inv.secret", "s3cret")
        let loaded = try ConfigurationDirectory(client("file:\(other.path)/inv.secret")).load()
        #expect(loaded.configuration?.clients[0].client.clientSecret?.value == "s3cret")
    }

    // CRED-01
    @Test func fromTheCredentialStore() throws {
        let directory = try ConfigurationDirectory(client("cred:inv"))
        func load(_ answer: SecretAnswer) -> LoadedConfiguration {
            ConfigurationLoader.load(
                directory: directory.path, environment: [:], production: false, extensions: [], endpoints: [],
                secrets: SecretLookup(stored: { $0 == "inv" ? answer : .missing }))
        }
        let secret = try #require(load(.secret("s3cret")).configuration?.clients[0].client.clientSecret)
        #expect(secret.value == "s3cret" && secret.origin == .store)
        for (answer, message) in [
            (SecretAnswer.missing, "has no secret \"inv\""), (.secret(""), "has no secret \"inv\""),
            (.unreadable("its key is missing"), "its key is missing"),
        ] {
            let errors = load(answer).lines(.error)
            #expect(errors.count == 1 && errors[0].contains("/backends/0/clientSecret: "))
            #expect(errors[0].contains(message))
        }
    }

    @Test("a program is called once for each key, with the key in its arguments")
    func fromAProgram() throws {
        let calls = Mutex<[[String]]>([])
        let programs = """
            "secretPrograms": {"vault": {"command": ["/bin/vault", "get", "-field={key}"], "timeout": "1s"}}
            """
        func load(_ files: [String: String], _ answer: SecretAnswer) throws -> LoadedConfiguration {
            let directory = try ConfigurationDirectory(
                files.merging(["gateway.json": ConfigurationDirectory.gateway(programs)]) { $1 })
            return ConfigurationLoader.load(
                directory: directory.path, environment: [:], production: false, extensions: [], endpoints: [],
                secrets: SecretLookup(printed: { call in
                    calls.withLock { $0.append(call.command) }
                    return call.timeoutMilliseconds == 1000 ? answer : .missing
                }))
        }
        let secret = try #require(
            load(client("program:vault:shop/b-1"), .secret("s3cret")).configuration?.clients[0].client.clientSecret)
        #expect(secret.value == "s3cret" && secret.origin == .program)
        #expect(calls.withLock { $0 } == [["/bin/vault", "get", "-field=shop/b-1"]])
        for (reference, answer, message) in [
            ("program:vault:a", SecretAnswer.secret(""), #"the program "vault" prints no secret"#),
            ("program:vault:a", .unreadable("has failed"), #"the program "vault" has failed"#),
            ("program:valt:a", .missing, #""secretPrograms" has no program "valt""#),
            ("program:vault", .missing, "is named without a key"),
            ("program:vault:", .missing, "with an unfit key"),
            ("program:vault:-x", .missing, "with an unfit key"),
            ("program:vault:a/../b", .missing, "with an unfit key"),
            ("program:vault:a b", .missing, "with an unfit key"),
        ] {
            let errors = try load(client(reference), answer).lines(.error)
            #expect(errors.count == 1 && errors[0].contains("/backends/0/clientSecret: "), "\(errors)")
            #expect(errors.first?.contains(message) == true, "\(errors)")
        }
    }

    @Test func literally() throws {
        let loaded = try ConfigurationDirectory(client("environment:x")).load()
        #expect(loaded.configuration?.clients[0].client.clientSecret?.value == "environment:x")
    }

    @Test func emptyFile() throws {
        let directory = try ConfigurationDirectory(client("file:inv.secret"))
        try directory.write("inv.secret", "\n")
        #expect(
            directory.load().lines(.error) == [
                "backends.json:1: error: /backends/0/clientSecret: the file \"inv.secret\" holds no text (expected a file with the secret as UTF-8 text)"
            ])
    }

    @Test func isNeverShown() throws {
        let loaded = try ConfigurationDirectory(client("s3cret")).load()
        let secret = try #require(loaded.configuration?.clients[0].client.clientSecret)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])"] {
            #expect(!text.contains("s3cret"))
        }
    }

    /// What is wrong with a secret is said without it.
    @Test func isNotInMessages() throws {
        let files = [
            "gateway.json": ConfigurationDirectory.gateway(
                #""challenge": {"key": "s3cretKey"}, "passwords": {"aesKey": "s3cretKey"}"#),
            "users.json":
                #"[{ "username": "a", "password": "s3cretKey" }, { "username": "b", "password": ["s3cretKey"] }]"#,
        ]
        let loaded = try ConfigurationDirectory(files).load()
        #expect(loaded.lines(.error).count == 4)
        for line in loaded.lines(.error) { #expect(!line.contains("s3cretKey")) }
    }
}

import Configuration
import Declaration
import Model
import Testing

/// GW-04: every mistake has its own line with file, line, pointer, expectation and finding, and nothing else is said.
@Suite struct InvalidConfigurationTests {
    static let cases =
        InvalidCase.gatewayCases + InvalidCase.listenerCases + InvalidCase.clientUserCases + InvalidCase.upstreamCases
        + InvalidCase.limitCases
        + InvalidCase.serviceCases + InvalidCase.routeCases + InvalidCase.routeTargetCases + InvalidCase.errorCases
        + InvalidCase.injectionCases
        + InvalidCase.identityCases
        + InvalidCase.clientCases + InvalidCase.clientEntryCases + InvalidCase.registrationCases
        + InvalidCase.consumerCases
        + InvalidCase.applicationCases + InvalidCase.mobileSocialCases + InvalidCase.providerCases
        + InvalidCase.loginCases + InvalidCase.acmeCases + InvalidCase.proofCases + InvalidCase.tokenKeyCases
        + InvalidCase.authenticatorCases + InvalidCase.pageCases

    @Test func tableIsLargeAndItsIdsAreUnique() {
        #expect(Self.cases.count >= 150)
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }

    @Test(arguments: cases)
    func invalid(_ wrong: InvalidCase) throws {
        let directory = try ConfigurationDirectory(wrong.files)
        let loaded = directory.load(wrong.environment)
        #expect(loaded.configuration == nil)
        #expect(loaded.lines(.error).map { $0.replacing(directory.path, with: "DIR") } == wrong.errors)
    }

    @Test func baseOfTheTableIsValid() throws {
        let loaded = try ConfigurationDirectory([:]).load()
        #expect(loaded.lines(.error) == [])
        #expect(loaded.configuration?.upstreams.map(\.name) == ["inventory"])
    }

    @Test func allErrorsAreReportedInOneRun() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway("\"workers\": -1,\n\"log\": {\"level\": 3}"),
            "routes.json": "[{\"path\": \"a\",\n\"upstream\": 5}]",
            "roles.json": "{}",
        ])
        let places = directory.load().diagnostics.filter { $0.severity == .error }.map {
            "\($0.file):\($0.line) \($0.pointer)"
        }
        #expect(
            places == [
                "gateway.json:5 /workers", "gateway.json:6 /log/level", "roles.json:1 /roles",
                "routes.json:1 /routes/0/path",
                "routes.json:2 /routes/0/upstream",
            ])
    }

    /// One mistake, one line: nothing is said about names whose section cannot be read.
    @Test(arguments: [
        ["roles.json": "[", "routes.json": #"[{ "path": "/a", "upstream": "inventory", "roles": ["Clerk"] }]"#],
        ["roles.json": "{}", "users.json": #"[{ "username": "a", "roles": ["Clerk"] }]"#],
        ["gateway.json": "{", "routes.json": #"[{ "path": "/a", "upstream": "inventory" }]"#],
        ["gateway.json": "5", "routes.json": #"[{ "path": "/a", "upstream": "inventory" }]"#],
    ])
    func oneMistakeOneLine(files: [String: String]) throws {
        #expect(try ConfigurationDirectory(files).load().lines(.error).count == 1)
    }

    @Test func missingDirectory() {
        let loaded = ConfigurationLoader.load(
            directory: "/nonexistent/portcullis", environment: [:], production: false, extensions: [], endpoints: [])
        #expect(
            loaded.diagnostics.map(\.description) == [
                #"error: the directory "/nonexistent/portcullis" cannot be read (expected a readable directory)"#
            ])
        #expect(loaded.configuration == nil)
    }

    @Test func missingGatewayFile() throws {
        let directory = try ConfigurationDirectory(["roles.json": "[]"], on: [:])
        #expect(
            directory.load().lines(.error) == [
                "gateway.json:1: error: the file is missing (expected gateway.json in \"\(directory.path)\")"
            ])
    }
}

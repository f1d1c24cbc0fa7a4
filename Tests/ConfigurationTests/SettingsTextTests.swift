import Conversion
import Testing

/// Settings of oauth2-proxy: keys of its file, and variables.
@Suite struct SettingsTextTests {
    private func values(_ text: String) throws -> [String: [String]] {
        let settings = try SettingsText(text, file: "a.cfg").settings
        return Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.values) })
    }

    @Test("keys have texts, numbers, truth values and lists of several lines, and know their lines")
    func keys() throws {
        let text = """
            # comment
            http_address = "127.0.0.1:4180" # behind it
            upstreams = [
              "http://127.0.0.1:8080/", # with a comment
              'http://[::1]/#a',
            ]
            pass_host_header = false
            redis_connection_idle_timeout=30
            "quoted" = "a\\"b\\\\c\\u0041\\t"
            empty = []
            """
        let settings = try SettingsText(text, file: "a.cfg")
        #expect(!settings.isEnvironment)
        #expect(settings.settings.map(\.place) == [2, 3, 7, 8, 9, 10].map { "a.cfg:\($0)" })
        #expect(
            try values(text) == [
                "http_address": ["127.0.0.1:4180"], "upstreams": ["http://127.0.0.1:8080/", "http://[::1]/#a"],
                "pass_host_header": ["false"], "redis_connection_idle_timeout": ["30"], "quoted": ["a\"b\\cA\t"],
                "empty": [],
            ])
    }

    @Test("keys are compared without case, and CRLF ends a line")
    func spelling() throws {
        let text = "Allowed_Groups = [\"a\"] # c\r\n\r\nb = 1\r\n"
        #expect(try values(text) == ["allowed_groups": ["a"], "b": ["1"]])
        #expect(try SettingsText(text, file: "a.cfg").settings.map(\.place) == ["a.cfg:1", "a.cfg:3"])
    }

    @Test("variables have one value a line; those of other programs are left out")
    func variables() throws {
        let text = """
            # comment
            export OAUTH2_PROXY_CLIENT_ID=gateway
            PATH=/usr/bin
            OAUTH2_PROXY_EMAIL_DOMAINS="a.example,b.example"

            OAUTH2_PROXY_CLIENT_SECRET='p$w"d'
            """
        let settings = try SettingsText(text, file: "env")
        #expect(settings.isEnvironment)
        #expect(settings.settings.map(\.place) == [2, 4, 6].map { "env:\($0)" })
        #expect(
            try values(text) == [
                "client_id": ["gateway"], "email_domains": ["a.example,b.example"], "client_secret": ["p$w\"d"],
            ])
    }

    @Test(
        "what is not read for certain is refused with its line",
        arguments: [
            ("a = \"x\"\nb = y", "a.cfg:2", "a text in quotes"), ("a = \"x", "a.cfg:1", "no end"),
            ("a = \"\"\"x\"\"\"", "a.cfg:1", "several lines"), ("\n[section]\na = 1", "a.cfg:2", "tables"),
            ("a = [\"x\"\n\"y\"]", "a.cfg:2", "\",\" or \"]\""), ("a", "a.cfg:1", "name = value"),
            ("a = 1\na = 2", "a.cfg:2", "twice"), ("a = 1 b = 2", "a.cfg:1", "end of the line"),
            ("a = \"\\x\"", "a.cfg:1", "escape"), ("a = 1\nA = 2", "a.cfg:2", "twice"),
            ("a = 1\n# x\rb = 2", "a.cfg:2", "control"), ("# x\u{2028}a = 1", "a.cfg:1", "control"),
            ("# x\u{b}a = 1", "a.cfg:1", "control"), ("# x\u{85}a = 1", "a.cfg:1", "control"),
            ("OAUTH2_PROXY_A=\"$HOME\"", "a.cfg:1", "single quotes"), ("OAUTH2_PROXY_A='x", "a.cfg:1", "no end"),
            ("providers:\n- id: x", "a.cfg", "alpha configuration"),
            ("---\nupstreamConfig:\n  upstreams: []", "a.cfg", "alpha configuration"),
        ])
    func refuses(_ text: String, _ place: String, _ message: String) {
        do {
            _ = try SettingsText(text, file: "a.cfg")
            Issue.record("\(text) was read")
        } catch {
            #expect(error.place == place && error.message.contains(message), "\(error.text)")
        }
    }
}

import Declaration
import Foundation
import Model
import Testing

@testable import Configuration

/// Variables of the environment that set options of `gateway.json`.
@Suite struct OptionVariableTests {
    private func load(_ environment: [String: String]) throws -> LoadedConfiguration {
        let gateway = ConfigurationDirectory.gateway(#""limits": {"maxHeaders": 50}, "store": {"kind": "memory"}"#)
        return try ConfigurationDirectory(["gateway.json": gateway]).load(environment)
    }

    @Test("numbers, sizes, durations, truth values, texts, lists and secrets take the place of those in the file")
    func values() throws {
        let loaded = try load([
            "PORTCULLIS_LIMITS_MAX_HEADERS": "70", "PORTCULLIS_LIMITS_MAX_BODY_BYTES": "2MiB",
            "PORTCULLIS_LIMITS_IDLE_TIMEOUT": "7s", "PORTCULLIS_CORS_ALLOW_CREDENTIALS": "false",
            "PORTCULLIS_CORS_EXPOSE_HEADERS": "X-One, X-Two", "PORTCULLIS_ADMIN_PORT": "0",
            "PORTCULLIS_ADMIN_ADMIN_TOKEN": "env:HOME", "PORTCULLIS_WORKERS": "",
        ])
        #expect(loaded.lines(.error) == [])
        let values = try #require(loaded.configuration)
        #expect(values.limits.head.maximumFields == 70)
        #expect(values.limits.maximumBodyBytes == 2 << 20)
        #expect(values.cors.allowCredentials == false)
        #expect(values.cors.exposeHeaders == ["X-One", "X-Two"])
        #expect(values.admin?.port == 0)
        // The value itself, and no reference.
        #expect(values.admin?.token?.value == "env:HOME")
        // What check shows, without values.
        let notes = loaded.diagnostics.filter { $0.severity == .note }.map(\.description)
        #expect(notes.count == 7)
        #expect(
            notes.contains(
                "PORTCULLIS_LIMITS_MAX_HEADERS: note: /limits/maxHeaders: set by the environment, in place of any value in the files"
            ))
        #expect(!notes.joined().contains("env:HOME"))
    }

    @Test("errors name the variable and show no value")
    func errors() throws {
        let wrong = [
            "PORTCULLIS_LIMITS_MAX_HEADERS": "many", "PORTCULLIS_ADMIN_PORT": "99999",
            "PORTCULLIS_CORS_ALLOW_CREDENTIALS": "yes", "PORTCULLIS_TRUSTED_PROXIES": "127.0.0.1,se\u{1b}cret\r\n",
        ]
        let lines = try load(wrong).lines(.error)
        #expect(lines.count == 4)
        for name in wrong.keys { #expect(lines.contains { $0.hasPrefix("\(name): error: /") }, "\(name) \(lines)") }
        let text = lines.joined(separator: "\n")
        #expect(!text.contains("many") && !text.contains("cret") && !text.contains("\u{1b}"))
    }

    @Test("no message suggests a part of a value")
    func suggestions() throws {
        let wrong = [
            "PORTCULLIS_BASE_URL": "https://u:cret@h/x", "PORTCULLIS_ADDITIONAL_BASE_URLS": "https://cret.example/x",
        ]
        let lines = try load(wrong).diagnostics.map(\.description)
        #expect(wrong.keys.allSatisfy { name in lines.contains { $0.hasPrefix("\(name): error: /") } })
        #expect(!lines.joined().contains("cret"), "\(lines)")
    }

    @Test("a variable that sets nothing is reported with the nearest one; those of the process are not")
    func unknown() {
        // Kubernetes sets these for a service.
        let services = [
            "PORTCULLIS_ADMIN_PORT": "tcp://10.0.0.1:9901", "PORTCULLIS_ADMIN_SERVICE_HOST": "10.0.0.1",
            "PORTCULLIS_SERVICE_PORT_HTTPS": "8443", "PORTCULLIS_PORT_8443_TCP_ADDR": "10.0.0.1",
        ]
        #expect(OptionVariables.candidates(services).isEmpty)
        let found = OptionVariables.unknown(
            [
                "PORTCULLIS_LIMITS_MAX_HEADER": "1", "PORTCULLIS_ENGINE": "epoll", "PORTCULLIS_INSECURE": "1",
                "HOME": "/",
            ], extensions: Families.sections)
        #expect(
            found.map(\.description) == [
                "PORTCULLIS_LIMITS_MAX_HEADER: warning: the variable sets no option (expected the name of an option in config/reference; did you mean \"PORTCULLIS_LIMITS_MAX_HEADERS\"?)"
            ])
    }

    @Test("every key of gateway.json with a plain value has a variable, and every name is one key's")
    func names() {
        let options = OptionVariables(SectionForm.gateway(Families.sections).form).options
        #expect(options.count > 100)
        #expect(Set(options.values.map(\.path)).count == options.count)
        for (name, option) in options { #expect(name == OptionVariables.name(of: option.path)) }
        #expect(options["PORTCULLIS_TOKEN_SERVICE_REQUIRE_TLS"]?.path == ["tokenService", "requireTls"])
        #expect(options.keys.allSatisfy { !OptionVariables.others.contains($0) })
    }
}

import Foundation
import Glibc
import Testing

/// Issue B: how listeners treat their connections follows the configuration; their sockets stay.
@Suite(.tags(.engine)) struct ListenerReloadTests {
    private static func secure(_ port: String = "0", http2: Bool = true, directory: String = "tls") -> String {
        """
        {"name": "secure", "address": "127.0.0.1", "port": \(port), "http2": \(http2),
         "tls": {"certificates": [{"certFile": "\(directory)/cert.pem", "keyFile": "\(directory)/key.pem"}]}}
        """
    }

    private static let plain = #"{"name": "public", "address": "127.0.0.1", "port": 0}"#

    /// A gateway with a plain and a TLS listener, and how to give it other ones.
    private struct Subject {
        let directory: ConfigurationDirectory
        let gateway: GatewayProcess
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")

        init(_ change: (inout FixtureSettings) -> Void = { _ in }) throws {
            change(&settings)
            settings["listeners"] = FixtureSettings.list([ListenerReloadTests.plain, ListenerReloadTests.secure()])
            directory = try ConfigurationDirectory(["gateway.json": settings.text])
            try Subject.makeCertificate("tls", in: directory)
            gateway = try GatewayProcess(directory, listeners: ["public", "secure", "admin"])
        }

        static func makeCertificate(_ name: String, in directory: ConfigurationDirectory) throws {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)", withIntermediateDirectories: true)
            try SampleConfiguration.makeCertificate(in: "\(directory.path)/\(name)")
        }

        /// Status and HTTP version of an answer, or curl's exit status: 60 where the certificate is another one.
        func ask(trusting name: String, scheme: String = "https", port: String = "secure") throws -> String {
            let url = "\(scheme)://127.0.0.1:\(try gateway.port(port))/payroll"
            let result = try Program.run(
                "/usr/bin/curl",
                ["-s", "-o", "/dev/null", "-w", "%{http_code} %{http_version}", "--cacert"]
                    + ["\(directory.path)/\(name)/cert.pem", url])
            return result.ending == .exit(0) ? result.output : "\(result.ending)"
        }

        func reload(_ listeners: [String]? = nil, expecting event: String = "reloaded") throws {
            var settings = settings
            if let listeners { settings["listeners"] = FixtureSettings.list(listeners) }
            try directory.write("gateway.json", settings.text)
            let before = gateway.events(event).count
            gateway.program.signal(SIGHUP)
            _ = try #require(gateway.waitForEvent(event, skipping: before))
        }
    }

    @Test("a reload activates a renewed certificate; an invalid one changes nothing")
    func certificates() throws {
        let subject = try Subject()
        try Subject.makeCertificate("next", in: subject.directory)
        #expect(try subject.ask(trusting: "tls") == "401 2")
        #expect(try subject.ask(trusting: "next") == "\(Program.Ending.exit(60))")

        try subject.reload([Self.plain, Self.secure(directory: "next")])
        #expect(try subject.ask(trusting: "next") == "401 2")
        #expect(try subject.ask(trusting: "tls") == "\(Program.Ending.exit(60))")

        // The key of another certificate: said at its place, and the last good one stays.
        let next = "\(subject.directory.path)/next"
        try FileManager.default.removeItem(atPath: "\(next)/key.pem")
        try FileManager.default.copyItem(atPath: "\(subject.directory.path)/tls/key.pem", toPath: "\(next)/key.pem")
        try subject.reload([Self.plain, Self.secure(directory: "next")], expecting: "reload_failed")
        #expect(
            subject.gateway.findings.contains(
                "error: /listeners/1/tls/certificates/0/keyFile: the private key does not belong"))
        #expect(try subject.ask(trusting: "next") == "401 2")
    }

    @Test("watchFiles activates a certificate that is replaced in place")
    func watchedCertificate() throws {
        let subject = try Subject { $0["watchFiles"] = "true" }
        try Subject.makeCertificate("next", in: subject.directory)
        for file in ["cert.pem", "key.pem"] {
            let text = try subject.directory.read("next/\(file)")
            try subject.directory.write("tls/\(file)", text)
        }
        #expect(subject.gateway.waitForEvent("reloaded") != nil)
        // A worker takes the configuration up a moment behind the event, and the two files may be read one after the other.
        let deadline = Deadline.usual
        while try subject.ask(trusting: "next") != "401 2", !deadline.isPast {}
        #expect(!deadline.isPast, "\(subject.gateway.everythingWritten)")
    }

    @Test("settings follow the socket, not its position in the list")
    func order() throws {
        let subject = try Subject()
        try subject.reload([Self.secure(http2: false), Self.plain])
        #expect(subject.gateway.events("reload_ignored").isEmpty)
        #expect(try subject.ask(trusting: "tls") == "401 1.1")
        #expect(try subject.ask(trusting: "tls", scheme: "http", port: "public") == "401 1.1")

        // A listener that is gone goes on as it was, since its socket is there until the end.
        try subject.reload([Self.plain])
        #expect(subject.gateway.events("reload_ignored", count: 1).map { $0["section"].string } == ["listeners"])
        #expect(try subject.ask(trusting: "tls") == "401 1.1")
        #expect(try subject.ask(trusting: "tls", scheme: "http", port: "public") == "401 1.1")
    }
}

import Foundation
import Reactor
import Testing

/// Issue E: the loops stand on io_uring where kernel and sandbox allow it, and on epoll otherwise. All other tests here run
/// with each of them, see deploy/test.
@Suite(.tags(.engine)) struct EngineTests {
    static let hasRings = (try? LoopEngine.ioUring.checkAvailable()) != nil

    private func engine(_ configured: String, _ environment: [String: String]) throws -> String? {
        let fixture = try Fixture(environment: environment) { $0["engine"] = configured }
        #expect(try fixture.request("GET", "/open/x").status == 200)
        let engine = fixture.gateway.waitForEvent("ready")?["engine"].string
        #expect(try fixture.gateway.metrics().sum("portcullis_workers", ["engine": engine ?? ""]) == 2)
        #expect(try fixture.gateway.stop() == .exit(0))
        return engine
    }

    @Test("auto selects io_uring if available, and the variable takes precedence")
    func open() throws {
        let auto = #""auto""#
        #expect(try engine(auto, ["PORTCULLIS_ENGINE": "epoll"]) == "epoll")
        #expect(try engine(#""epoll""#, ["PORTCULLIS_ENGINE": "io_uring"]) == "epoll")
        if !Self.hasRings { return }
        #expect(try engine(#""io_uring""#, ["PORTCULLIS_ENGINE": "epoll"]) == "io_uring")
        #expect(try engine(auto, ["PORTCULLIS_ENGINE": "io_uring"]) == "io_uring")
        #expect(try engine(auto, ["PORTCULLIS_ENGINE": ""]) == "io_uring")
    }

    /// 425 is io_uring_setup, 426 io_uring_enter, 427 io_uring_register.
    @Test(
        "in a sandbox without io_uring, auto selects epoll, and io_uring is a clear error", arguments: [425, 426, 427])
    func forbidden(_ number: Int) throws {
        let environment = [
            "LD_PRELOAD": GatewayProcess.preload(try FaultTests.library.get()), "PORTCULLIS_FORBIDDEN": "\(number)",
            "PORTCULLIS_ENGINE": "",
        ]
        #expect(try engine(#""auto""#, environment) == "epoll")
        if !Self.hasRings { return }
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["engine"] = #""io_uring""#
        let configuration = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run("serve", "--config", configuration.path, environment: environment)
        #expect(result.ending == .exit(1))
        #expect(
            result.errors.contains("engine: the kernel does not allow io_uring: Operation not permitted"),
            "\(result.errors)")
    }

    @Test("an unknown engine in the variable is an error")
    func unknown() throws {
        let settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        let configuration = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run(
            "serve", "--config", configuration.path, environment: ["PORTCULLIS_ENGINE": "kqueue"])
        #expect(result.ending == .exit(1))
        #expect(
            JSONText(String(result.errors.split(separator: "\n").last ?? ""))["detail"].string?.contains(
                "PORTCULLIS_ENGINE: expected epoll or io_uring, found \"kqueue\"") == true, "\(result.errors)")
    }
}

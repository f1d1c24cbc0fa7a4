import Foundation
import Testing

/// A program without the trait Client says so, and keeps what the gateway shares with the client library.
@Suite struct WithoutClientTests {
    private static let bare = ProcessInfo.processInfo.environment["PORTCULLIS_BARE"]

    @Test(
        "a command of the client library names the trait",
        .enabled(if: bare != nil, "PORTCULLIS_BARE names no such program"),
        arguments: [["client", "login"], ["test", "GET", "/"], ["key", "generate", "mine"]])
    func refused(_ words: [String]) throws {
        let bare = try #require(Self.bare)
        let result = try Program.run(bare, words)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("built without the trait Client, which `portcullis \(words[0])` needs"))
        let help = try Program.run(bare, [words[0], "--help"])
        #expect(help.ending == .exit(0) && help.output.contains("swift build --traits Client"), "\(help.output)")
        #expect(try !Program.run(bare, ["version"]).output.contains("Client"))
    }

    @Test(
        "secrets of the configuration are kept without it",
        .enabled(if: bare != nil, "PORTCULLIS_BARE names no such program"))
    func secrets() throws {
        let bare = try #require(Self.bare)
        let directory = try ConfigurationDirectory()
        let store = ["--config", directory.path]
        let added = try Program.run(bare, ["cred", "add", "admin"] + store, input: "the-secret\n")
        #expect(added.ending == .exit(0), "\(added.errors)")
        #expect(try Program.run(bare, ["cred", "get", "admin"] + store).output.contains("the-secret"))
    }
}

import Foundation
import Testing

/// Completion in the shells themselves: each is given lines with tabs on a terminal, and runs what it has completed.
@Suite struct CompletionTests {
    private struct Line {
        let typed: String
        let completed: [String]
    }

    private static let lines = [
        Line(typed: "us\tset-p\t", completed: ["users", "set-password"]),
        Line(typed: "users show x --rea\tStaff", completed: ["users", "show", "x", "--realm", "Staff"]),
        Line(typed: "key generate x --type r\t", completed: ["key", "generate", "x", "--type", "rsa"]),
        Line(typed: "key generate x --type=r\t", completed: ["key", "generate", "x", "--type=rsa"]),
        Line(typed: "check deploy\t", completed: ["check", "deployed gateway"]),
        Line(typed: "key sign x --in ord\t", completed: ["key", "sign", "x", "--in", "order:1.json"]),
        Line(
            typed: "users list --admin http://127.0.0.1:1 --admin-t\tx",
            completed: ["users", "list", "--admin", "http://127.0.0.1:1", "--admin-token-file", "x"]),
        Line(
            typed: "route show --config gate inven\t",
            completed: ["route", "show", "--config", "gate", "inventory"]),
        Line(typed: "users show --config=gate an\t", completed: ["users", "show", "--config=gate", "ann"]),
    ]

    @Test("names are read without the programs that print secrets, and of an invalid configuration too")
    func names() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["secretPrograms"] = #"{"vault": {"command": ["/usr/bin/touch", "seen"]}}"#
        settings["backends"] = FixtureSettings.backends.replacing(#""inv-secret""#, with: #""program:vault""#)
        settings["users"] = #"[{"username": "zoe", "password": "x", "roles": []}, {"username": 5}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        _ = try CommandLine.run("check", directory.path)
        #expect(throws: Never.self) { try directory.remove("seen") }
        let found = try CommandLine.run(
            "completions", "words", "--", "users", "show", "--config", directory.path, "--help", "")
        #expect(found.ending == .exit(0) && found.errors.isEmpty)
        #expect(found.output.split(separator: "\n").contains("zoe"), "\(found.output)")
        #expect(throws: (any Error).self) { try directory.read("seen") }
    }

    private static func isInstalled(_ shell: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
    }

    /// Puts a command that shows its arguments before the program, which completion asks for by `command`.
    private static let function = #"portcullis() { printf 'ran:'; printf '<%s>' "$@"; echo; }"#

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func bash() throws {
        try complete(
            "bash --rcfile start -i",
            start: #"eval "$(portcullis completions bash)"; PS1=; bind 'set bell-style none'; \#(Self.function)"#)
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func zsh() throws {
        try complete(
            "env ZDOTDIR=. zsh -i", file: ".zshrc",
            start: """
                autoload -U compinit; compinit -u -D; eval "$(portcullis completions zsh)"; PS1=; setopt no_beep
                \(Self.function)
                """)
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
    func fish() throws {
        try complete(
            "env XDG_CONFIG_HOME=. XDG_DATA_HOME=. fish -C 'source start' -i",
            start: """
                portcullis completions fish | source
                function fish_prompt; end
                function fish_greeting; end
                function portcullis; printf 'ran:'; printf '<%s>' $argv; echo; end
                """)
    }

    /// - Parameters:
    ///   - shell: starts it, in a directory with the names to complete.
    ///   - start: what the shell reads from the file first.
    private func complete(_ shell: String, file: String = "start", start: String) throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["routes"] = #"[{"name": "inventory", "path": "/a", "upstream": "stub"}]"#
        let directory = try ConfigurationDirectory([
            file: start, "order:1.json": "", "deployed gateway/a": "", "gate/gateway.json": settings.text,
        ])
        let path = URL(filePath: GatewayProcess.binary).deletingLastPathComponent().path
        let typed = Self.lines.map { "portcullis \($0.typed)\n" }.joined() + "exit\n"
        let result = try Program.run(
            "/usr/bin/script", ["-qec", shell, "/dev/null"],
            environment: ["PATH": "\(path):/usr/bin:/bin", "TERM": "xterm", "COLUMNS": "200", "HOME": directory.path],
            input: typed, directory: directory.path)
        let ran = result.output.matches(of: /ran:(<.*>)/).map { String($0.1) }
        let expected = Self.lines.map { $0.completed.map { "<\($0)>" }.joined() }
        // Zsh shows the slash behind a directory until the next character.
        #expect(ran.map { $0.replacing("/>", with: ">") } == expected, "\(result.output)")
    }
}

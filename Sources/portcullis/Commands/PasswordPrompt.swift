import Bytes
import Reactor

/// A password from the terminal or from standard input.
enum PasswordPrompt {
    /// Reads one line; on a terminal without echo, and twice.
    /// - Parameter noun: what it is, for prompt and messages.
    static func read(_ noun: String = "password") throws(ExitStatus) -> String {
        guard let secret = line("\(noun):"), !secret.isEmpty else {
            throw .failure("no \(noun) on standard input")
        }
        guard TerminalInput.isTerminal else { return secret }
        guard let again = line("once more:"), again.isExactly(secret) else {
            throw .failure("the two differ; nothing was written")
        }
        return secret
    }

    /// Reads one line on a terminal, as `read`; elsewhere all lines, without the end of the last one.
    static func text() throws(ExitStatus) -> String {
        if TerminalInput.isTerminal { return try read() }
        var lines: [String] = []
        while let line = readLine(strippingNewline: true) { lines.append(line) }
        let text = lines.joined(separator: "\n")
        if text.isEmpty { throw .failure("no password on standard input") }
        return text
    }

    /// Reads one line; on a terminal without echo. Nil at the end of input.
    static func line(_ prompt: String) -> String? {
        guard TerminalInput.isTerminal else { return readLine(strippingNewline: true) }
        Terminal.printError(prompt)
        return TerminalInput.withoutEcho { readLine(strippingNewline: true) }
    }
}

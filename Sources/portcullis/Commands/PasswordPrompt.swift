import Reactor

/// A password from the terminal or from standard input.
enum PasswordPrompt {
    /// Reads one line; on a terminal without echo, and twice.
    static func read() throws(ExitStatus) -> String {
        guard let password = line("password:"), !password.isEmpty else {
            throw .failure("no password on standard input")
        }
        guard TerminalInput.isTerminal else { return password }
        guard let again = line("once more:"), isSame(again, password) else {
            throw .failure("the passwords differ; nothing was written")
        }
        return password
    }

    /// Reads one line; on a terminal without echo. Nil at the end of input.
    static func line(_ prompt: String) -> String? {
        guard TerminalInput.isTerminal else { return readLine(strippingNewline: true) }
        Terminal.printError(prompt)
        return TerminalInput.withoutEcho { readLine(strippingNewline: true) }
    }
}

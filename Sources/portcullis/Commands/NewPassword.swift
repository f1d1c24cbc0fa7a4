import Reactor

/// A password that somebody types, or that comes on standard input.
enum NewPassword {
    /// One line; without echo, and twice, where a person types it.
    static func read() throws(ExitStatus) -> String {
        guard let password = line("password:"), !password.isEmpty else {
            Terminal.complain("portcullis: no password on standard input")
            throw .failed
        }
        guard TerminalInput.isTerminal else { return password }
        guard let again = line("once more:"), isSame(again, password) else {
            Terminal.complain("portcullis: the two are not the same; nothing was written")
            throw .failed
        }
        return password
    }

    /// One line; without echo where a person types it. Nil at the end of input.
    static func line(_ prompt: String) -> String? {
        guard TerminalInput.isTerminal else { return readLine(strippingNewline: true) }
        Terminal.complain(prompt)
        return TerminalInput.withoutEcho { readLine(strippingNewline: true) }
    }
}

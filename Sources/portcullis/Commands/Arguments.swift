import Configuration
import Declaration
import Reactor

/// The arguments of one command: options with values, flags, and positional arguments. All after `--` is positional.
struct Arguments {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    private(set) var positional: [String] = []

    /// - Parameters:
    ///   - options: names with their dashes that take a value: the next argument, or the text after `=`.
    ///   - flags: names that take none.
    /// - Throws: `.usage` after printing what is wrong.
    init(_ arguments: some Sequence<String>, options: Set<String>, flags known: Set<String>) throws(ExitStatus) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            // Allows for positional arguments that begin with a dash, such as random ids.
            if argument == "--" {
                positional += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if options.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw .misuse("\(parts[0]) needs a value")
                }
                // `--config "$DIR"` with an unset variable must not mean the current directory.
                guard !value.isEmpty || parts[0] != "--config" else { throw .misuse("--config is empty") }
                guard values.updateValue(value, forKey: parts[0]) == nil else {
                    throw .misuse("\(parts[0]) is given twice")
                }
            } else if known.contains(argument) {
                flags.insert(argument)
            } else {
                let near = Suggestion.nearest(to: parts[0], among: options.union(known).sorted())
                throw .misuse(
                    "unknown option \(argument)" + (near.map { "; did you mean \($0)?" } ?? ""))
            }
        }
    }

    subscript(_ option: String) -> String? { values[option] }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Address and port of `--listen`.
    func listening(_ standard: String) throws(ExitStatus) -> SocketAddress {
        let text = self["--listen"] ?? standard
        if let address = SocketAddress(place: text) { return address }
        // The parts of `9000`, `:9000`, `*:9000` and `localhost:9000`.
        let port = text.split(separator: ":").last.flatMap { UInt16($0) }
        let host = text.lastIndex(of: ":").map { String(text[..<$0]) } ?? ""
        let address = ["": "127.0.0.1", "localhost": "127.0.0.1", "*": "0.0.0.0"][host]
        let near = port.flatMap { port in address.map { "; did you mean \($0):\(port)?" } } ?? ""
        throw .misuse("--listen is not an IP address and port such as \(standard): \(text)\(near)")
    }

    /// The configuration directory of `COMMAND DIR` or `COMMAND --config DIR`.
    func directory(of command: any Command.Type) throws(ExitStatus) -> String {
        let directories = positional + (values["--config"].map { [$0] } ?? [])
        guard let directory = directories.first, directories.count == 1 else {
            throw .misuse("expected one directory: \(command.name) --config DIR")
        }
        return directory
    }
}

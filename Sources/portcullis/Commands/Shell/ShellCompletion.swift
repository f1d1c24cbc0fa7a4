import Bytes
import CommandForms
import Configuration
import Crypto
import Model
import Reactor

/// What may follow the words of a command line.
enum ShellCompletion {
    /// What a shell gets.
    enum Candidate: Hashable {
        case word(String, meaning: String = "")
        case file
        case directory

        /// A line for the scripts: no word begins with a colon.
        var line: String {
            switch self {
            case .word(let word, ""): word
            case .word(let word, let meaning): "\(word)\t\(meaning)"
            case .file: ":file"
            case .directory: ":directory"
            }
        }
    }

    /// - Parameter words: those behind the name of the program. The last one is being typed, and may be empty. Candidates need
    ///   not begin with it.
    static func candidates(_ words: [String]) -> [Candidate] {
        guard let first = words.first, words.count > 1 else {
            return commands + ["--help", "--version"].map { .word($0) }
        }
        if first == "help" { return words.count == 2 ? commands : [] }
        guard let command = Program.commands.first(where: { $0.name == first }) else { return [] }
        let form = command.form
        let typed = words[words.count - 1]
        let (given, pending) = read(words.dropFirst().dropLast(), form)
        let directory = given.options["--config"] ?? ""
        let name = pending ?? (typed.hasPrefix("--") ? typed.firstIndex(of: "=").map { String(typed[..<$0]) } : nil)
        let usages = form.usages.filter { $0.begins(with: given.words) }
        if let name {
            let options = (usages.flatMap(\.options) + form.options).filter { $0.name == name }
            return options.compactMap(\.value).flatMap { values($0, of: "", directory) }.unique()
        }
        if !typed.hasPrefix("-") {
            let next = usages.compactMap { $0.word(at: given.words.count) }
            let found = next.flatMap { word in
                word.isLiteral
                    ? word.choices.map { .word($0, meaning: form.summary(of: $0)) }
                    : values(word.choices.joined(separator: "|"), of: command.name, directory)
            }
            if !found.isEmpty { return found.unique() }
        }
        return (usages.flatMap(\.options).map(\.name) + ["--help"]).unique().filter { given.options[$0] == nil }
            .map { .word($0, meaning: form.summary(of: $0)) }
    }

    private static var commands: [Candidate] {
        Program.commands.map { .word($0.name, meaning: $0.summary) }
    }

    /// The words and options that are complete, and the option whose value is next.
    private static func read(
        _ words: ArraySlice<String>, _ form: CommandForm
    ) -> (given: (words: [String], options: [String: String]), pending: String?) {
        var given: (words: [String], options: [String: String]) = ([], [:])
        var pending: String?
        for word in words {
            if let name = pending {
                given.options[name] = word
                pending = nil
            } else if word.hasPrefix("-"), word != "-" {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                if parts.count == 1, form.takesValue(word) == true { pending = word }
                given.options[parts[0]] = parts.count == 2 ? parts[1] : ""
            } else {
                given.words.append(word)
            }
        }
        return (given, pending)
    }

    /// What a word in capitals stands for, as an argument of a command.
    private static func values(_ placeholder: String, of command: String, _ directory: String) -> [Candidate] {
        placeholder.split(separator: "|").map(String.init).flatMap { name -> [Candidate] in
            if name.isLiteralWord { return [.word(name)] }
            let noun = String(name.prefix { $0.isUppercase })
            switch noun {
            case "DIR", "OLD", "NEW": return [.directory]
            case "FILE", "LOG": return [.file]
            case "SCHEME": return PasswordScheme.allCases.map { .word($0.rawValue) }
            default:
                guard let list = names[noun] ?? names["\(command) \(noun)"], !directory.isEmpty else { return [] }
                // No program that prints a secret runs because a key was pressed. What is invalid is left out.
                let loaded = ConfigurationLoader.load(
                    directory: directory, environment: Environment.values, production: false,
                    extensions: CompatibilityFamilies.sections, endpoints: [])
                return loaded.draft.map(list)?.map { .word($0) } ?? []
            }
        }
    }

    /// Names that the configuration of the command line has, by their word in usages.
    private static let names: [String: @Sendable (GatewayConfiguration) -> [String]] = [
        "ROUTE": { $0.routes.map(\.name) }, "ROLE": { $0.roles.names }, "REALM": { $0.realms ?? [] },
        "CONSUMER": { $0.consumers.map(\.name) }, "users NAME": { $0.users.map(\.username) },
        "clients ID": { $0.clients.map(\.client.clientID) },
    ]
}

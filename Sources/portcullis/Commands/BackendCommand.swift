import Configuration
import Gateway
import Identity
import Tokens

/// `portcullis backend`: mobile backends, made and shown (MBE-01, MBE-04).
enum BackendCommand: Command {
    static let name = "backend"
    static let summary = "make a mobile backend, or show its settings"
    static let help = """
        usage: portcullis backend create NAME VERSION --config DIR [--realm REALM]
               portcullis backend show NAME [VERSION] --config DIR [--secrets]

        create  adds a backend with fresh ids and keys to backends.json in DIR and prints them, with the client secret,
                as JSON. Nothing else in the file changes; a running gateway takes the backend up at its next reload.
                Nothing is written where the configuration is not valid, before or afterwards.
        show    prints the settings that applications need, as JSON. VERSION may be left out where there is only one.

        --config   the configuration directory
        --realm    the realm whose users log in with this backend; "Default" by default
        --secrets  show the client secret too
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        switch arguments.first {
        case "create": try create(arguments.dropFirst())
        case "show": try show(arguments.dropFirst())
        case let action?:
            Terminal.complain("portcullis: unknown action \(action); `portcullis backend --help` lists them")
            throw .usage
        case nil:
            Terminal.complain(help)
            throw .usage
        }
    }

    private static func create(_ arguments: ArraySlice<String>) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config", "--realm"], flags: [])
        guard let directory = arguments["--config"], arguments.positional.count == 2 else {
            Terminal.complain("usage: portcullis backend create NAME VERSION --config DIR [--realm REALM]")
            throw .usage
        }
        let backend = NewBackend(
            name: arguments.positional[0], version: arguments.positional[1], realm: arguments["--realm"] ?? "Default")
        do throws(FileChangeError) {
            let file = try BackendsFile(in: directory)
            let (text, made) = try add(backend, to: file, in: directory)
            try file.replace(with: text)
            Terminal.print(made)
        } catch {
            Terminal.complain("portcullis: \(error.message); nothing was written")
            throw .failed
        }
    }

    /// The new text of the file, and the settings of the backend in it.
    private static func add(
        _ backend: NewBackend, to file: BackendsFile, in directory: String
    ) throws(FileChangeError) -> (text: [UInt8], settings: String) {
        let before = try read(directory, or: "the configuration is not valid")
        if before.loaded.file(ofSection: "backends") == "gateway.json" {
            throw FileChangeError(
                message: "the section \"backends\" stands in gateway.json; move it to \(BackendsFile.name) first")
        }
        if before.snapshot.backends.backend(name: backend.name, version: backend.version) != nil {
            throw FileChangeError(message: "there is a backend \(backend.name)/\(backend.version) already")
        }
        guard var array = JSONArrayText(try file.read()) else {
            throw FileChangeError(message: "\(BackendsFile.name) holds no array")
        }
        array.append(backend.members())
        let draft = ConfigurationDraft(file: BackendsFile.name, text: array.text)
        let after = try read(directory, draft: draft, or: "with this backend the configuration would not be valid")
        guard let made = after.snapshot.backends.backend(name: backend.name, version: backend.version) else {
            throw FileChangeError(message: "\(backend.name)/\(backend.version) did not become a backend")
        }
        return (array.text, settings(made, after, includingSecrets: true))
    }

    private static func read(
        _ directory: String, draft: ConfigurationDraft? = nil, or message: String
    ) throws(FileChangeError) -> Assembly.Reading {
        do throws(ExitStatus) {
            return try Assembly.read(directory, makesKeys: false, draft: draft)
        } catch {
            throw FileChangeError(message: message)
        }
    }

    private static func show(_ arguments: ArraySlice<String>) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config"], flags: ["--secrets"])
        guard let directory = arguments["--config"], (1...2).contains(arguments.positional.count) else {
            Terminal.complain("usage: portcullis backend show NAME [VERSION] --config DIR [--secrets]")
            throw .usage
        }
        let reading = try Assembly.read(directory, makesKeys: false)
        let name = arguments.positional[0]
        let named = reading.snapshot.backends.backends.filter { $0.name.utf8.elementsEqual(name.utf8) }
        let version = arguments.positional.dropFirst().first
        let found = named.filter { version == nil || $0.version.utf8.elementsEqual((version ?? "").utf8) }
        guard let backend = found.first else {
            Terminal.complain(
                "portcullis: no backend \(([name] + (version.map { [$0] } ?? [])).joined(separator: "/"))")
            throw .failed
        }
        guard found.count == 1 else {
            let versions = found.map(\.version).joined(separator: ", ")
            Terminal.complain("portcullis: \(name) has several versions, name one: \(versions)")
            throw .failed
        }
        Terminal.print(settings(backend, reading, includingSecrets: arguments.has("--secrets")))
    }

    /// One line, as the admin listener shows it too.
    private static func settings(_ backend: Backend, _ reading: Assembly.Reading, includingSecrets: Bool) -> String {
        String(decoding: reading.snapshot.tokens.describe(backend, includingSecrets: includingSecrets), as: UTF8.self)
    }
}

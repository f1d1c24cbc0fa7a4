import Bytes
import Model
import Reactor

/// Secrets by reference (GW-12). No message shows a value.
extension Field {
    /// Reports an error and returns nil where there is none.
    package func secret() -> Secret? {
        let secret = SecretReader(field: self).read()
        if let secret { findings.secretValues.append(secret.value) }
        return secret
    }

    /// A Base64-encoded key with one of these lengths in bytes.
    package func key(lengths: [Int]) -> [UInt8]? {
        guard let secret = secret() else { return nil }
        if secret.origin == .absent { return Array(secret.value.utf8.suffix(lengths[0])) }
        guard let key = Base64.decode(Array(secret.value.utf8).span), lengths.contains(key.count) else {
            let list = lengths.map(String.init).joined(separator: ", ")
            return error("the key is malformed", expected: "\(list) bytes as padded Base64")
        }
        return key
    }

    /// The text of a file; nil after an error.
    package func contents(of path: String) -> [UInt8]? {
        do throws(UnreadableFile) {
            return try FileText.read(path)
        } catch {
            return self.error("the file \"\(path)\" cannot be read: \(error.reason)", expected: "a readable file")
        }
    }

    /// The same for a file whose first bytes count.
    package func contents(withoutByteOrderMark path: String) -> [UInt8]? {
        guard let text = contents(of: path) else { return nil }
        guard !text.span.startsWithByteOrderMark else {
            return error(
                "the file \"\(path)\" begins with a byte order mark", expected: "UTF-8 without a byte order mark")
        }
        return text
    }

    /// Absolute path of a file that need not exist yet.
    package func path() -> String? { name("a file name").map { findings.path(of: $0) } }

    /// Absolute path of an existing readable file.
    package func readableFile() -> String? {
        guard let path = path(), findings.isAbsent(path, at: pointer) || contents(of: path) != nil else { return nil }
        return path
    }
}

/// Reads a secret, or where it is.
private struct SecretReader {
    let field: Field

    private static let forms = "\"env:NAME\", \"file:PATH\", \"cred:KEY\" or \"program:NAME:KEY\""

    /// `"env:NAME"`, `"file:PATH"` (without the last line end), `"cred:KEY"`, `"program:NAME:KEY"`, or the secret itself,
    /// which may be a variable of the environment.
    func read() -> Secret? {
        guard let text = field.node.string else {
            return field.error("wrong type", expected: "a secret: a string, \(SecretReader.forms)")
        }
        // The value of a variable is a secret, and never a reference to another one.
        let written = field.findings.written[field.pointer]
        if let absent = absent(text, written: written) { return absent }
        if let kind = SecretReference(in: written ?? text) {
            let name = String(text.dropFirst(kind.rawValue.count))
            return switch kind {
            case .environment: secret(variable: name)
            case .file: secret(file: name)
            case .credential: secret(credential: name)
            case .program: secret(program: name)
            }
        }
        guard !text.isEmpty else {
            return field.error("the secret is empty", expected: "a string, \(SecretReader.forms)")
        }
        if written != nil { return Secret(text, from: .environment) }
        if field.findings.production {
            field.warning("the secret is written in the configuration", expected: SecretReader.forms)
        }
        return Secret(text)
    }

    /// The placeholder of a secret that is absent in a review; nil for one that is read.
    private func absent(_ text: String, written: String?) -> Secret? {
        guard let absences = field.findings.secrets.absences else { return nil }
        let kind = SecretReference(in: written ?? text)
        guard let reference = kind == nil ? written : text else { return nil }
        let name = String(text.dropFirst(kind?.rawValue.count ?? 0))
        let isThere =
            switch kind {
            // Pipelines set a secret that they must not use to an empty text.
            case nil: !text.isEmpty
            case .environment: field.findings.secrets.environment[name]?.isEmpty == false
            case .file: FileSystem.exists(field.findings.path(of: name))
            case .credential: field.findings.secrets.stored(name) != .missing
            // A review starts no program; a reference to none is an error.
            case .program: call(name) == nil
            }
        let isUnset = absences.takeUnset(field.pointer)
        guard absences.notes(reference, at: field.pointer, unless: isThere && !isUnset) else { return nil }
        return absences.secret(reference)
    }

    /// The program that prints a secret; nil for an unfit reference.
    private func call(_ reference: String) -> SecretProgram.Call? {
        let parts = reference.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let program = field.findings.secrets.programs.first { $0.name == parts[0] && !$0.command.isEmpty }
        return program?.call(parts.count > 1 ? parts[1] : nil)
    }

    private func secret(variable: String) -> Secret? {
        guard let value = field.findings.secrets.environment[variable] else {
            let near = Suggestion.nearest(to: variable, among: field.findings.secrets.environment.keys)
            return field.error(
                "the environment variable \(variable) is not set", expected: "a variable that is set",
                suggestion: near.map { "env:\($0)" })
        }
        guard !value.isEmpty else {
            return field.error("the environment variable \(variable) is empty", expected: "a variable with a value")
        }
        return Secret(value, from: .environment)
    }

    /// CRED-01
    private func secret(credential key: String) -> Secret? {
        switch field.findings.secrets.stored(key) {
        case .secret(let value) where !value.isEmpty: return Secret(value, from: .store)
        case .secret, .missing:
            field.error(
                "the credential store has no secret \"\(key)\"",
                expected: "one that `portcullis cred add` has put there")
        case .unreadable(let why): field.error(why, expected: "a credential store that can be opened")
        }
        return nil
    }

    private func secret(program reference: String) -> Secret? {
        let parts = reference.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let programs = field.findings.secrets.programs
        guard let program = programs.first(where: { $0.name == parts[0] }) else {
            let near = Suggestion.nearest(to: parts[0], among: programs.map(\.name))
            return field.error(
                "\"secretPrograms\" has no program \"\(parts[0])\"", expected: "the name of a program",
                suggestion: near.map { (["program:\($0)"] + parts.dropFirst()).joined(separator: ":") })
        }
        // That was reported.
        if program.command.isEmpty { return nil }
        let key = parts.count > 1 ? parts[1] : nil
        guard let call = program.call(key) else {
            return field.error(
                "the program \"\(program.name)\" is named " + (key == nil ? "without a key" : "with an unfit key"),
                expected: program.takesKey
                    ? "\"program:\(program.name):KEY\", where KEY has letters, digits and ._/@- and begins with none of these"
                    : "\"program:\(program.name)\", since its command has no {key}")
        }
        switch field.findings.secrets.answer(of: call) {
        case .secret(let value) where !value.isEmpty: return Secret(value, from: .program)
        case .secret, .missing:
            return field.error("the program \"\(program.name)\" prints no secret", expected: "a line of text")
        case .unreadable(let why):
            return field.error("the program \"\(program.name)\" \(why)", expected: "exit status 0 and the secret")
        }
    }

    private func secret(file: String) -> Secret? {
        guard var bytes = field.contents(withoutByteOrderMark: field.findings.path(of: file)) else { return nil }
        if bytes.last == ASCII.lineFeed { bytes.removeLast() }
        if bytes.last == ASCII.carriageReturn { bytes.removeLast() }
        guard let value = String(validating: bytes, as: UTF8.self), !value.isEmpty else {
            return field.error("the file \"\(file)\" holds no text", expected: "a file with the secret as UTF-8 text")
        }
        return Secret(value, from: .file)
    }
}

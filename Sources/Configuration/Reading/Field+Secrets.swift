import Bytes

/// Secrets by reference (GW-12). No message shows a value.
extension Field {
    /// `"env:NAME"`, `"file:PATH"` (without the last line end), `"cred:KEY"`, or the secret itself, which may be a variable
    /// of the environment.
    package func secret() -> Secret? {
        guard let text = node.string else {
            return error("wrong type", expected: "a secret: a string, \"env:NAME\", \"file:PATH\" or \"cred:KEY\"")
        }
        // The value of a variable is a secret, and never a reference to another one.
        let written = findings.written[pointer]
        if (written ?? text).hasPrefix("env:") { return secret(variable: String(text.dropFirst(4))) }
        if (written ?? text).hasPrefix("file:") { return secret(file: String(text.dropFirst(5))) }
        if (written ?? text).hasPrefix("cred:") { return secret(credential: String(text.dropFirst(5))) }
        guard !text.isEmpty else {
            return error("the secret is empty", expected: "a string, \"env:NAME\", \"file:PATH\" or \"cred:KEY\"")
        }
        if written != nil { return Secret(value: text, origin: .environment) }
        if findings.production {
            warning(
                "the secret is written in the configuration", expected: "\"env:NAME\", \"file:PATH\" or \"cred:KEY\"")
        }
        return Secret(value: text, origin: .literal)
    }

    private func secret(variable: String) -> Secret? {
        guard let value = findings.environment[variable] else {
            let near = Suggestion.nearest(to: variable, among: findings.environment.keys)
            return error(
                "the environment variable \(variable) is not set", expected: "a variable that is set",
                suggestion: near.map { "env:\($0)" })
        }
        guard !value.isEmpty else {
            return error("the environment variable \(variable) is empty", expected: "a variable with a value")
        }
        return Secret(value: value, origin: .environment)
    }

    /// CRED-01
    private func secret(credential key: String) -> Secret? {
        switch findings.credentials(key) {
        case .secret(let value) where !value.isEmpty: return Secret(value: value, origin: .store)
        case .secret, .missing:
            error(
                "the credential store has no secret \"\(key)\"",
                expected: "one that `portcullis cred add` has put there")
        case .unreadable(let why): error(why, expected: "a credential store that can be opened")
        }
        return nil
    }

    private func secret(file: String) -> Secret? {
        guard var bytes = contents(of: findings.path(of: file)) else { return nil }
        if bytes.last == ASCII.lineFeed { bytes.removeLast() }
        if bytes.last == ASCII.carriageReturn { bytes.removeLast() }
        guard let value = String(validating: bytes, as: UTF8.self), !value.isEmpty else {
            return error("the file \"\(file)\" holds no text", expected: "a file with the secret as UTF-8 text")
        }
        return Secret(value: value, origin: .file)
    }

    /// A Base64-encoded key with one of these lengths in bytes.
    func key(lengths: [Int]) -> [UInt8]? {
        guard let secret = secret() else { return nil }
        guard let key = Base64.decode(Array(secret.value.utf8).span), lengths.contains(key.count) else {
            let list = lengths.map(String.init).joined(separator: ", ")
            return error("the key is malformed", expected: "\(list) bytes as padded Base64")
        }
        return key
    }

    /// The text of a file; nil after an error.
    func contents(of path: String) -> [UInt8]? {
        do throws(UnreadableFile) {
            return try FileText.read(path)
        } catch {
            return self.error("the file \"\(path)\" cannot be read: \(error.reason)", expected: "a readable file")
        }
    }

    /// Absolute path of a file that need not exist yet.
    package func path() -> String? { name("a file name").map { findings.path(of: $0) } }

    /// Absolute path of an existing readable file.
    func readableFile() -> String? {
        guard let path = path(), contents(of: path) != nil else { return nil }
        return path
    }
}

import Bytes
import Reactor

/// Files with certificates and keys. Checks only the kind of PEM file; the composition root checks the contents.
extension Field {
    /// Absolute path of a PEM file with certificates.
    package func certificateFile(_ recipe: CertificateRecipe? = nil) -> String? {
        pemFile("a PEM file with certificates", "certificate", "-----BEGIN CERTIFICATE-----", recipe)?.path
    }

    /// Absolute path of a PEM file with a private key.
    package func keyFile() -> String? {
        guard let (path, text) = pemFile("a PEM file with a private key", "private key", "PRIVATE KEY-----") else {
            return nil
        }
        guard !text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"), !text.contains("Proc-Type: 4,ENCRYPTED") else {
            return error("the key is encrypted; passphrases are not supported", expected: "a key without one")
        }
        warnOfReaders(path)
        return path
    }

    private func pemFile(
        _ expected: String, _ content: String, _ label: String, _ recipe: CertificateRecipe? = nil
    ) -> (path: String, text: String)? {
        guard let path = path() else { return nil }
        if findings.isAbsent(path, at: pointer) { return (path, "") }
        guard FileSystem.exists(path) else {
            return error("the file \(summary) does not exist", expected: recipe?.expectation ?? expected)
        }
        guard let text = contents(withoutByteOrderMark: path).map({ String(decoding: $0, as: UTF8.self) }) else {
            return nil
        }
        guard text.contains(label) else {
            return error("the file holds no \(content)", expected: expected, found: summary)
        }
        return (path, text)
    }

    private func warnOfReaders(_ path: String) {
        guard let mode = (try? FileStatus(path))?.mode, mode & 0o004 != 0 else { return }
        warning("the key is readable by all users of this machine", expected: "chmod 600 \(path)")
    }
}

/// The command that creates a missing certificate and its key, for a trial.
package struct CertificateRecipe {
    package let expectation: String

    /// - Parameter object: an object with `certFile` and `keyFile`.
    /// - Returns: nil unless both files are missing, and in a review, which does without them.
    package init?(_ object: Field) {
        guard object.findings.secrets.absences == nil else { return nil }
        let names = ["certFile", "keyFile"].compactMap { object.node[$0]?.string }
        guard names.count == 2, !names.contains("") else { return nil }
        let paths = names.map { object.findings.path(of: $0) }
        guard !paths.contains(where: FileSystem.exists) else { return nil }
        let words = paths.map(CertificateRecipe.quoted)
        var folders: [String] = []
        for path in paths {
            let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            guard !folder.isEmpty, !FileSystem.exists(folder) else { continue }
            let name = CertificateRecipe.quoted(folder)
            if !folders.contains(name) { folders.append(name) }
        }
        let preparation = folders.isEmpty ? "" : "mkdir -p \(folders.joined(separator: " ")) && "
        expectation =
            "a PEM file with certificates; to try it out, `\(preparation)openssl req -x509 -newkey ec "
            + "-pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost "
            + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout \(words[1]) -out \(words[0])` makes one"
    }

    /// The path as one word of a shell command.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "/._-+@%:,".utf8.contains(byte)
        }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }
}

import Bytes
import Configuration
import Crypto

/// `portcullis hash`: a password as `users.json` stores it.
enum HashCommand: Command {
    static let name = "hash"
    static let summary = "hash a password for users.json"
    static let help = """
        usage: portcullis hash [--scheme SCHEME] [--salt-bits N] [--aes-key BASE64]

        Reads a password from standard input (one line, without echo on a terminal) and prints it as `{scheme}payload`.

        --scheme     \(PasswordScheme.allCases.map(\.rawValue).joined(separator: ", ")) (default: scrypt)
        --salt-bits  length of the salt of a salted scheme, a multiple of 8 (default: 128)
        --aes-key    the key `passwords.aesKey` of the scheme AES, in Base64
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self, isCounted: false)
        let name = arguments["--scheme"] ?? PasswordScheme.scrypt.rawValue
        guard arguments.positional.isEmpty else {
            throw .misuse("the password is read from standard input, never from the arguments")
        }
        guard let scheme = PasswordScheme(rawValue: name) else {
            throw .misuse("unknown scheme \(name); `portcullis hash --help` lists them")
        }
        guard let saltBits = Int(arguments["--salt-bits"] ?? "128") else {
            throw .misuse("--salt-bits is not a number")
        }
        var aesKey: [UInt8]?
        if let text = arguments["--aes-key"] {
            aesKey = Base64.decode(Array(text.utf8).span)
            guard aesKey != nil else {
                throw .misuse("--aes-key is not Base64")
            }
        }
        guard let password = PasswordPrompt.line("password:"), !password.isEmpty else {
            throw .failure("no password on standard input")
        }
        if password.unicodeScalars.count < PasswordsSection.standardMinLength {
            Terminal.printError(
                "portcullis: warning: the password is short; \(PasswordsSection.standardMinLength) characters are usual"
            )
        }
        do throws(PasswordError) {
            let hasher = PasswordHasher(aesKey: aesKey)
            Terminal.print(try hasher.make(Array(password.utf8).span, scheme: scheme, saltBits: saltBits))
        } catch {
            throw .failure("\(text(error))")
        }
    }

    private static func text(_ error: PasswordError) -> String {
        switch error {
        case .invalidLength, .tooShort, .notText, .unavailable: error.text
        case .invalidSaltLength: "--salt-bits must be a multiple of 8 from 64 (SaltedSHA: from 8) to 512"
        case .missingKey: "the scheme AES needs --aes-key: 16, 24 or 32 bytes in Base64"
        }
    }
}

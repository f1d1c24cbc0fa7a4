import Bytes
import Crypto
import Foundation

/// `portcullis hash`: a password as `users.json` stores it.
enum HashCommand: Command {
    static let name = "hash"
    static let summary = "hash a password for users.json"
    static let help = """
        usage: portcullis hash [--scheme NAME] [--salt-bits N] [--aes-key BASE64]

        Reads a password from standard input (one line, not shown where it is typed) and prints it as `{scheme}payload`.

        --scheme     \(PasswordScheme.allCases.map(\.rawValue).joined(separator: ", ")); scrypt by default
        --salt-bits  length of the salt of a salted scheme, a multiple of 8; 128 by default
        --aes-key    the Base64 of `passwords.aesKey`, for the scheme AES
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--scheme", "--salt-bits", "--aes-key"], flags: [])
        let name = arguments["--scheme"] ?? PasswordScheme.scrypt.rawValue
        guard arguments.positional.isEmpty else {
            throw Arguments.complaint("the password is read from standard input, never from the arguments")
        }
        guard let scheme = PasswordScheme(rawValue: name) else {
            throw Arguments.complaint("unknown scheme \(name); `portcullis hash --help` lists them")
        }
        guard let saltBits = Int(arguments["--salt-bits"] ?? "128") else {
            throw Arguments.complaint("--salt-bits is no number")
        }
        var aesKey: [UInt8]?
        if let text = arguments["--aes-key"] {
            aesKey = Base64.decode(Array(text.utf8).span)
            guard aesKey != nil else {
                Terminal.complain("portcullis: --aes-key is not Base64")
                throw .usage
            }
        }
        guard let password = NewPassword.line("password:"), !password.isEmpty else {
            Terminal.complain("portcullis: no password on standard input")
            throw .failed
        }
        do throws(PasswordError) {
            let hasher = PasswordHasher(aesKey: aesKey)
            Terminal.print(try hasher.make(Array(password.utf8).span, scheme: scheme, saltBits: saltBits))
        } catch {
            Terminal.complain("portcullis: \(text(error))")
            throw .failed
        }
    }

    private static func text(_ error: PasswordError) -> String {
        switch error {
        case .invalidLength: "the password is empty or longer than \(PasswordHasher.maximumLength) bytes"
        case .notText: "the password is not UTF-8"
        case .invalidSaltLength: "--salt-bits is a multiple of 8, for SaltedSHA from 8 and else from 64, up to 512"
        case .missingKey: "the scheme AES needs --aes-key, the Base64 of 16, 24 or 32 bytes"
        case .unavailable: "libcrypto has refused"
        }
    }
}

import Bytes
import Foundation
import PortcullisClient

/// `portcullis key`: key pairs in files, and what they are for (CRYPTO-05).
enum KeyCommand: Command {
    static let name = "key"
    static let summary = "make key pairs, sign and wrap with them"
    static let help = """
        usage: portcullis key generate NAME [--type ec|rsa] [--dir DIR]
               portcullis key public|delete NAME [--dir DIR]
               portcullis key sign NAME [--in FILE] [--dir DIR]
               portcullis key verify NAME|--public FILE --signature BASE64 [--in FILE] [--dir DIR]
               portcullis key wrap NAME|--public FILE [--in FILE] [--dir DIR]
               portcullis key unwrap NAME [--in FILE] [--dir DIR]

        Key pairs lie in DIR as NAME.pem, for their owner only.

        generate  makes a key pair: EC on P-256, or RSA with 3072 bits
        public    prints the public part in PEM form
        sign      prints the signature of the input in Base64: ES256 (r and s side by side) or RS256
        verify    compares a signature with the input; exit status 1 where it is not the input's
        wrap      encrypts a short input, such as a key, to an RSA key (RSAES-OAEP with SHA-256); prints Base64
        unwrap    prints what was wrapped; the input is the Base64 that wrap has printed
        delete    removes a key pair

        --type    ec (default) or rsa
        --public  a public key in PEM form, in the place of a key pair
        --in      the input; standard input by default
        --dir     by default keys in the directory of `portcullis client`

        examples: portcullis key generate app --type rsa
                  portcullis key sign app --in order.json > order.sig
                  portcullis key verify app --in order.json --signature "$(cat order.sig)"
        """

    static func run(_ words: [String]) throws(ExitStatus) {
        guard let action = words.first else { throw usage() }
        let options: Set = ["--type", "--public", "--signature", "--in", "--dir", "--home"]
        let arguments = try Arguments(words.dropFirst(), options: options, flags: [])
        let store = KeyStore(directory: arguments["--dir"] ?? "\(ClientPlace(arguments).directory)/keys")
        let names = arguments.positional
        guard names.count <= 1, let name = names.first ?? (arguments["--public"] == nil ? nil : "") else {
            throw usage()
        }
        switch action {
        case "generate":
            guard let kind = KeyStore.Kind(rawValue: arguments["--type"] ?? "ec"), !name.isEmpty else { throw usage() }
            try ExitStatus.rethrowing { () throws(ClientError) in try store.generate(name, kind: kind) }
        case "public":
            let pem = try ExitStatus.rethrowing { () throws(ClientError) in try store.publicKey(name) }
            FileHandle.standardOutput.write(Data(pem.utf8))
        case "delete": try ExitStatus.rethrowing { () throws(ClientError) in try store.delete(name) }
        case "sign":
            let message = try input(arguments)
            printBase64(try ExitStatus.rethrowing { () throws(ClientError) in try store.sign(message, with: name) })
        case "verify": try verify(arguments, store, name)
        case "wrap":
            let (secret, pem) = (try input(arguments), try publicKey(arguments, store, name))
            printBase64(
                try ExitStatus.rethrowing { () throws(ClientError) in try KeyStore.wrap(secret, publicKey: pem) })
        case "unwrap":
            guard let wrapped = decode(try input(arguments)) else {
                Terminal.complain("portcullis: the input is not Base64")
                throw .failed
            }
            let secret = try ExitStatus.rethrowing { () throws(ClientError) in try store.unwrap(wrapped, with: name) }
            FileHandle.standardOutput.write(Data(secret))
        default: throw usage()
        }
    }

    private static func verify(_ arguments: Arguments, _ store: KeyStore, _ name: String) throws(ExitStatus) {
        guard let text = arguments["--signature"] else { throw usage() }
        let (message, pem) = (try input(arguments), try publicKey(arguments, store, name))
        let signature = decode(Array(text.utf8)) ?? []
        let isRight = try ExitStatus.rethrowing { () throws(ClientError) in
            try KeyStore.verify(signature, of: message, publicKey: pem)
        }
        guard isRight else {
            Terminal.complain("portcullis: the signature is not the input's")
            throw .failed
        }
        Terminal.print("the signature is the input's")
    }

    /// That of the file that is named, else of the key pair.
    private static func publicKey(
        _ arguments: Arguments, _ store: KeyStore, _ name: String
    ) throws(ExitStatus) -> String {
        guard let file = arguments["--public"] else {
            return try ExitStatus.rethrowing { () throws(ClientError) in try store.publicKey(name) }
        }
        guard name.isEmpty else { throw usage() }
        return String(decoding: try contents(file), as: UTF8.self)
    }

    private static func input(_ arguments: Arguments) throws(ExitStatus) -> [UInt8] {
        guard let file = arguments["--in"], file != "-" else {
            return Array(FileHandle.standardInput.readDataToEndOfFile())
        }
        return try contents(file)
    }

    private static func contents(_ file: String) throws(ExitStatus) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else {
            Terminal.complain("portcullis: \(file) cannot be read")
            throw .failed
        }
        return Array(data)
    }

    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        let trimmed = text.filter { $0 > ASCII.space }
        return Base64.decode(trimmed.span)
    }

    private static func printBase64(_ bytes: [UInt8]) {
        Terminal.print(String(decoding: Base64.encode(bytes.span), as: UTF8.self))
    }

    private static func usage() -> ExitStatus {
        Terminal.complain(help)
        return .usage
    }
}

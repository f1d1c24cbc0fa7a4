#if Client
    import Bytes
    import Declaration
    import PortcullisClient
    import Reactor

    /// `portcullis key`: key pairs in files (CRYPTO-05).
    enum KeyCommand: Command {
        static let name = "key"
        static let summary = "generate key pairs, sign and wrap with them"
        static let help = """
            usage: portcullis key generate NAME [--type ec|rsa] [--dir DIR]
                   portcullis key public|delete NAME [--dir DIR]
                   portcullis key sign NAME [--in FILE] [--dir DIR]
                   portcullis key verify NAME|--public FILE --signature BASE64 [--in FILE] [--dir DIR]
                   portcullis key wrap NAME|--public FILE [--in FILE] [--dir DIR]
                   portcullis key unwrap NAME [--in FILE] [--dir DIR]

            Key pairs are stored in DIR as NAME.pem, readable by their owner only.

            generate  generates a key pair: EC on P-256, or RSA with 3072 bits
            public    prints the public key in PEM form
            sign      prints the signature of the input in Base64: ES256 (r and s side by side) or RS256
            verify    verifies the signature of the input; exit status 1 if it is invalid
            wrap      encrypts a short input, such as a key, with an RSA key (RSAES-OAEP with SHA-256); prints Base64
            unwrap    decrypts the output of wrap
            delete    deletes a key pair

            --type       the algorithm of the key pair (default: ec)
            --public     file with a public key in PEM form, instead of a key pair
            --signature  what `sign` has printed
            --in         input file (default: standard input)
            --dir        directory of the keys (default: `keys` in the directory of `portcullis client`)
            --home DIR   the directory of `portcullis client`

            examples: portcullis key generate app --type rsa
                      portcullis key sign app --in order.json > order.sig
                      portcullis key verify app --in order.json --signature "$(cat order.sig)"
            """

        static func run(_ words: [String]) throws(ExitStatus) {
            let arguments = try Arguments(words, of: self)
            let store = KeyStore(directory: arguments["--dir"] ?? "\(ClientFiles.directory(arguments["--home"]))/keys")
            let names = arguments.positional
            guard let name = names.first ?? (arguments["--public"] == nil ? nil : "") else { throw usageError() }
            switch arguments.action {
            case "generate":
                guard let kind = KeyStore.Kind(rawValue: arguments["--type"] ?? "ec"), !name.isEmpty else {
                    throw usageError()
                }
                try ExitStatus.client(store.generate(name, kind: kind))
            case "public":
                let pem = try ExitStatus.client(store.publicKey(name))
                StandardStream.output.write(Array(pem.utf8))
            case "delete": try ExitStatus.client(store.delete(name))
            case "sign":
                let message = try input(arguments)
                printBase64(try ExitStatus.client(store.sign(message, with: name)))
            case "verify": try verify(arguments, store, name)
            case "wrap":
                let (secret, pem) = (try input(arguments), try publicKey(arguments, store, name))
                printBase64(try ExitStatus.client(KeyStore.wrap(secret, publicKey: pem)))
            default:
                guard let wrapped = decode(try input(arguments)) else {
                    throw .failure("the input is not Base64")
                }
                let secret = try ExitStatus.client(store.unwrap(wrapped, with: name))
                StandardStream.output.write(secret)
            }
        }

        private static func verify(_ arguments: Arguments, _ store: KeyStore, _ name: String) throws(ExitStatus) {
            guard let text = arguments["--signature"] else { throw usageError() }
            let (message, pem) = (try input(arguments), try publicKey(arguments, store, name))
            let signature = decode(Array(text.utf8)) ?? []
            guard try ExitStatus.client(KeyStore.verify(signature, of: message, publicKey: pem)) else {
                throw .failure("the signature is invalid")
            }
            Terminal.print("the signature is valid")
        }

        /// The public key of the file of `--public`, or of the key pair.
        private static func publicKey(
            _ arguments: Arguments, _ store: KeyStore, _ name: String
        ) throws(ExitStatus) -> String {
            guard let file = arguments["--public"] else {
                return try ExitStatus.client(store.publicKey(name))
            }
            guard name.isEmpty else { throw usageError() }
            return String(decoding: try FileText.named(file), as: UTF8.self)
        }

        private static func input(_ arguments: Arguments) throws(ExitStatus) -> [UInt8] {
            try FileText.given(arguments["--in"] ?? "-")
        }

        private static func decode(_ text: [UInt8]) -> [UInt8]? {
            let trimmed = text.filter { $0 > ASCII.space }
            return Base64.decode(trimmed.span)
        }

        private static func printBase64(_ bytes: [UInt8]) {
            Terminal.print(String(decoding: Base64.encode(bytes.span), as: UTF8.self))
        }
    }
#endif

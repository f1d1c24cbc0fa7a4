import Foundation
import Testing

/// `portcullis key` (CRYPTO-05), and OpenSSL at the other end.
@Suite struct KeyCommandTests {
    private let directory: ConfigurationDirectory

    init() throws { directory = try ConfigurationDirectory() }

    private func run(_ words: String..., input: String = "") throws -> (Program.Ending, String, String) {
        let (ending, output, errors) = try Program.run(
            GatewayProcess.binary, ["key"] + words + ["--dir", directory.path + "/keys"], input: input)
        return (ending, output, errors)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try directory.write(name, text)
        return "\(directory.path)/\(name)"
    }

    @Test("verify accepts signed input, and refuses tampered input and deleted keys", arguments: ["ec", "rsa"])
    func signing(_ type: String) throws {
        #expect(try run("generate", "app", "--type", type).0 == .exit(0))
        #expect(try run("generate", "app", "--type", type).2.contains("there is a key \"app\" already"))
        let order = try file("order.json", #"{"pay": "ann", "amount": 10}"#)
        let (ending, output, errors) = try run("sign", "app", "--in", order)
        #expect(ending == .exit(0), "\(errors)")
        let signature = output.trimmingCharacters(in: .newlines)
        #expect(try run("verify", "app", "--in", order, "--signature", signature).0 == .exit(0))
        let tampered = try run("verify", "app", "--signature", signature, input: #"{"pay": "bob", "amount": 10}"#)
        #expect(tampered.0 == .exit(1) && tampered.2.contains("the signature is invalid"))
        let pem = try run("public", "app").1
        let shared = try file("app.pub", pem)
        #expect(try run("verify", "--public", shared, "--in", order, "--signature", signature).0 == .exit(0))
        if type == "rsa" {
            try Data(#require(Data(base64Encoded: signature))).write(to: URL(filePath: "\(directory.path)/order.sig"))
            let openssl = try Program.run(
                "/usr/bin/openssl",
                ["dgst", "-sha256", "-verify", shared, "-signature", "\(directory.path)/order.sig", order])
            #expect(openssl.ending == .exit(0), "\(openssl.errors)")
        }
        #expect(try run("delete", "app").0 == .exit(0))
        let gone = try run("sign", "app", "--in", order)
        #expect(gone.0 == .exit(1) && gone.2.contains("there is no key \"app\""))
    }

    @Test("wrap works with the public key alone; unwrap restores the input")
    func wrapping() throws {
        #expect(try run("generate", "app", "--type", "rsa").0 == .exit(0))
        let shared = try file("app.pub", run("public", "app").1)
        let wrapped = try run("wrap", "--public", shared, input: "a secret key").1
        let unwrapped = try run("unwrap", "app", input: wrapped)
        #expect(unwrapped.0 == .exit(0) && unwrapped.1 == "a secret key", "\(unwrapped.2)")
        #expect(try run("unwrap", "app", input: "AAAA\n").2.contains("wrapped for another key"))
        #expect(try run("unwrap", "app", input: "%%").2.contains("not Base64"))
        #expect(try run("generate", "curve").0 == .exit(0))
        #expect(try run("wrap", "curve", input: "x").0 == .exit(1))
    }

    @Test("usage errors are reported")
    func usage() throws {
        for words in [
            ["sign"], ["generate", "a", "b"], ["generate", "a", "--type", "dsa"], ["frob", "a"], ["verify", "a"],
        ] {
            let ending = try Program.run(GatewayProcess.binary, ["key"] + words + ["--dir", directory.path]).ending
            #expect(ending == .exit(2), "\(words)")
        }
        #expect(try Program.run(GatewayProcess.binary, ["key"]).ending == .exit(2))
        #expect(try run("generate", "../x").2.contains("a key's name has up to 64"))
    }
}

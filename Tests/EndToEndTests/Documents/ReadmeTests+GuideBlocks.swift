import Foundation
import Testing

/// `check` accepts every configuration that a guide shows (GW-05).
///
/// A block of JSON is a file, below its name alone in a line (`` `routes.json` ``), or a part of one, below a line that ends
/// with "in `routes.json`:". A part is members of an object or elements of a list, and replaces what has the same name. A guide
/// continues those to which its line "Continues ..." links, without one the first steps; blocks continue the ones before.
extension ReadmeTests {
    struct GuideBlock {
        let file: String
        let isWhole: Bool
        let text: String

        static func all(in path: String) -> [GuideBlock] {
            Vectors.text(path).matches(of: /(?m)^(.*)`(\w+\.json)`(:?)\n\n```json\n((?s).*?)```/)
                .filter { ($0.1.isEmpty && $0.3.isEmpty) || ($0.1.lowercased().hasSuffix("in ") && $0.3 == ":") }
                .map { GuideBlock(file: String($0.2), isWhole: $0.1.isEmpty, text: String($0.4)) }
        }
    }

    @Test(
        "check accepts each configuration of a guide", arguments: guidePaths.filter { !operationPaths.contains($0) })
    func shownConfigurations(_ path: String) throws {
        let blocks = GuideBlock.all(in: path)
        #expect(blocks.count == Vectors.text(path).matches(of: /(?m)^```json$/).count, "a block without a file name")
        guard !blocks.isEmpty else { return }
        let directory = try ConfigurationDirectory()
        let copy = try Program.run("/bin/cp", ["-r", Self.namedFiles.get().path + "/.", directory.path])
        try #require(copy.ending == .exit(0), "\(copy.errors)")
        let line = Vectors.text(path).firstMatch(of: /(?m)^Continues \[.+$/)?.0 ?? "(first-steps.md)"
        let continued = line.matches(of: /\(([\w-]+)\.md\)/).map { "config/guides/\($0.1).md" }
        // The page about users begins with the commands that make them.
        let users = "config/guides/own-users.md"
        try Self.makeToken(in: directory)
        for guide in continued + (path == users ? [users] : []) {
            if guide == users { try Self.makeUsers(in: directory, for: path) }
            for block in GuideBlock.all(in: guide) { try Self.add(block, to: directory) }
        }
        for (index, block) in blocks.enumerated() {
            try Self.add(block, to: directory)
            let next = index + 1 < blocks.count ? blocks[index + 1] : nil
            // Files that stand one after the other may need each other.
            guard next?.isWhole != true || !block.isWhole else { continue }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".json") }
            let secrets = try names.flatMap { try directory.read($0).matches(of: /env:(\w+)/).map { String($0.1) } }
            let check = try CommandLine.run(
                "check", directory.path,
                environment: Dictionary(secrets.map { ($0, Self.secret) }, uniquingKeysWith: { first, _ in first }))
            let expected = next == nil ? ": 0 errors, 0 warnings" : ": 0 errors, "
            #expect(check.output.contains(expected), "\(block.text)\n\(check.output)\n\(check.errors)")
        }
    }

    /// A secret that is long enough for all uses: 32 bytes in Base64.
    private static let secret = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

    /// The certificates, keys and other files that the guides name, made once.
    private static let namedFiles = Result { try makeFiles() }

    private static func makeFiles() throws -> ConfigurationDirectory {
        let directory = try ConfigurationDirectory()
        let script = """
            bash \(Vectors.root.path)/deploy/certificate tls
            mkdir keys errors
            make() { openssl req -x509 -newkey $1 -nodes -days 30 -subj $2 -keyout $3 -out $4; }
            make rsa:2048 /CN=gateway gateway-saml.key gateway-saml.pem
            make rsa:2048 /O=Example/CN=idp.example.com keys/idp.key keys/idp.pem
            for name in tls/ca.pem tls/clients.pem keys/idp-ca.pem; do cp tls/cert.pem $name; done
            for name in keys/encryption-1.pem keys/encryption-2.pem; do cp tls/key.pem $name; done
            echo '<p>${message}</p>' > errors/forbidden.html
            """
        let result = try Program.run("/bin/bash", ["-ec", script], directory: directory.path)
        try #require(result.ending == .exit(0), "\(result.errors)")
        let certificate = try directory.read("keys/idp.pem").split(separator: "\n").filter { !$0.hasPrefix("-----") }
        try directory.write(
            "corporate.xml",
            """
            <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" \
            xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://idp.example.com/metadata"><md:IDPSSODescriptor \
            protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo>\
            <ds:X509Data><ds:X509Certificate>\(certificate.joined())</ds:X509Certificate></ds:X509Data></ds:KeyInfo>\
            </md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" \
            Location="https://idp.example.com/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>
            """)
        return directory
    }

    /// Runs the command of the first steps that makes the token of administrators.
    static func makeToken(in directory: ConfigurationDirectory) throws {
        let steps = Vectors.text("config/guides/first-steps.md")
        let command = try #require(steps.firstMatch(of: /\(umask 077; openssl .* > mine\/admin-token\)/)).0
        let result = try Program.run(
            "/bin/bash", ["-ec", String(command).replacing("mine/", with: "")], directory: directory.path)
        try #require(result.ending == .exit(0), "\(result.errors)")
    }

    /// Runs the commands of the guide to the gateway's own users, which name the directory `mine`, and that for a backend of
    /// another guide.
    static func makeUsers(in directory: ConfigurationDirectory, for path: String) throws {
        let own = Vectors.text("config/guides/own-users.md")
        let lines = try #require(own.firstMatch(of: /(?s)```sh\n(portcullis roles add.*?)```/)).1
        let backend = Vectors.text(path).firstMatch(of: /portcullis backend create .* --config mine/)?.0 ?? ""
        let commands = "\(lines)\n\(backend)".replacing("--config mine", with: "--config .")
        let program = URL(fileURLWithPath: GatewayProcess.binary).deletingLastPathComponent().path
        let result = try Program.run(
            "/bin/bash", ["-ec", "PATH=\(program):$PATH\n\(commands)"], directory: directory.path)
        try #require(result.ending == .exit(0), "\(result.errors)")
    }

    static func add(_ block: GuideBlock, to directory: ConfigurationDirectory) throws {
        guard !block.isWhole else { return try directory.write(block.file, block.text) }
        let isList = block.text.first == "{"
        let part = try JSONSerialization.jsonObject(with: Data((isList ? "[\(block.text)]" : "{\(block.text)}").utf8))
        let present = try? JSONSerialization.jsonObject(with: Data(directory.read(block.file).utf8))
        let merged = try JSONSerialization.data(withJSONObject: merge(part, into: present), options: .prettyPrinted)
        try directory.write(block.file, String(decoding: merged, as: UTF8.self))
    }

    /// Objects are merged, their lists replaced; elements of a list of its own replace those of the same name or path.
    private static func merge(_ part: Any, into present: Any?) -> Any {
        if let part = part as? [String: Any], let present = present as? [String: Any] {
            return present.merging(part) { old, new in new is [String: Any] ? merge(new, into: old) : new }
        }
        guard let part = part as? [[String: Any]], let present = present as? [[String: Any]] else { return part }
        let name = { (element: [String: Any]) in
            ["clientId", "name", "alias", "path"].lazy.compactMap { element[$0] as? String }.first
        }
        let names = Set(part.map(name))
        return present.filter { !names.contains(name($0)) } + part
    }
}

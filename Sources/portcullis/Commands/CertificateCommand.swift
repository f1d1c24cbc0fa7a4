import Bytes
import Configuration
import Gateway
import HTTP

/// `portcullis certificate`: the certificate store (JWT-20, SAML-08).
enum CertificateCommand: Command {
    static let name = "certificate"
    static let summary = "add, list and remove certificates that outside issuers sign with"
    static let help = """
        usage: portcullis certificate list WHERE
               portcullis certificate add ALIAS FILE.pem WHERE    (or --alias ALIAS FILE.pem)
               portcullis certificate remove ALIAS WHERE

        FILE.pem holds one certificate; `-` is standard input. `list` shows subject, period and fingerprint.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(
            arguments, of: self,
            ["list": .init(0...0), "add": .init(1...2, options: ["--alias"]), "remove": .init(1...1)])
        switch call.action {
        case "list": AdminTarget.show(try call.target.perform(.command(.get, ["certificates"])))
        case "add":
            let words = [call.arguments["--alias"]].compactMap(\.self) + call.names
            guard words.count == 2 else {
                Terminal.complain(help)
                throw .usage
            }
            let members: [(String, JSONNode?)] = [("alias", .text(words[0])), ("pem", .text(try text(of: words[1])))]
            AdminTarget.show(try call.target.perform(.command(.post, ["certificates"], [], members)))
        default: try call.target.perform(.command(.delete, ["certificates", call.first]))
        }
    }

    private static func text(of file: String) throws(ExitStatus) -> String {
        String(decoding: try FileText.given(file), as: UTF8.self)
    }
}

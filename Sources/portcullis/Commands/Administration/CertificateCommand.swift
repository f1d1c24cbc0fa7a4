import Bytes
import Configuration
import Declaration
import Gateway
import HTTP

/// `portcullis certificate`: the certificate store (JWT-20, SAML-08).
enum CertificateCommand: Command {
    static let name = "certificate"
    static let summary = "add, list and remove certificates that outside issuers sign with"
    static let help = """
        usage: portcullis certificate list WHERE
               portcullis certificate add ALIAS FILE.pem WHERE
               portcullis certificate add --alias ALIAS FILE.pem WHERE
               portcullis certificate remove ALIAS WHERE

        --alias  the name in the store, as the first argument

        FILE.pem holds one certificate; `-` reads standard input. `list` prints subject, validity and fingerprint.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        switch call.action {
        case "list": try call.show(.get, ["certificates"])
        case "add":
            let words = [call.arguments["--alias"]].compactMap(\.self) + call.names
            guard words.count == 2 else { throw usageError() }
            let pem = String(decoding: try FileText.given(words[1]), as: UTF8.self)
            try call.show(.post, ["certificates"], body: [("alias", .text(words[0])), ("pem", .text(pem))])
        default: try call.send(.delete, ["certificates", call.first])
        }
    }
}

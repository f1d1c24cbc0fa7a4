import Bytes
import Crypto
import HTTP
import Identity
import Reactor
import TokenStorage

/// `portcullis version`: the version of the program and of its libraries.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "print the version, the commit, the build traits, the libraries and the engine"
    static let help = """
        usage: portcullis version [--json]

        Prints the version of the program, the traits it was built with, the versions of the system libraries it is linked
        with, the commit of its source, if the build named it, and whether the kernel allows io_uring. SQLite and XMLSec are
        listed if it was built with the traits SQLite and SAML.

        --json  print an object with the same names

        `portcullis --version` and `portcullis -V` print the same.
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let isJSON = try Arguments(arguments, of: self).has("--json")
        if isJSON { return Terminal.print(JSONNode.object(parts.map { ($0.name, .text($0.text)) }).onOneLine) }
        for part in parts { Terminal.print("\(part.name) \(part.text)") }
    }

    private static var parts: [(name: String, text: String)] {
        let traits = ProgramVersion.traits.joined(separator: ", ")
        let openSSL = OpenSSLLibrary.version.split(separator: " ", maxSplits: 1).map(String.init)
        var parts = [
            ("portcullis", ProgramVersion.number), ("traits", traits.isEmpty ? "none" : traits),
            (openSSL[0], openSSL.last ?? ""), ("nghttp2", NgHTTP2Library.version),
        ]
        #if SQLite
            parts.append(("SQLite", SQLiteLibrary.version))
        #endif
        #if SAML
            parts.append(("XMLSec", XMLSecLibrary.version))
        #endif
        parts.append(("commit", ProgramVersion.commit))
        do throws(KernelError) {
            try LoopEngine.ioUring.checkAvailable()
            parts.append(("engine", "io_uring"))
        } catch {
            parts.append(("engine", "epoll (io_uring: \(error.text))"))
        }
        return parts
    }
}

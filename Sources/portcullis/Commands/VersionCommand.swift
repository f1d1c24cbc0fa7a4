import Crypto
import HTTP
import Identity
import TokenStorage

/// `portcullis version`: the version of the program and of its libraries.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "print the version and the libraries in use"
    static let help = """
        usage: portcullis version

        Prints the versions of the program and of the system libraries it is linked with. SQLite and XMLSec are listed if it
        was built with the traits SQLite and SAML.
        """

    static let number = "0.1.0"

    static func run(_ arguments: [String]) throws(ExitStatus) {
        guard arguments.isEmpty else { throw usageError() }
        Terminal.print("portcullis \(number)")
        Terminal.print(OpenSSLLibrary.version)
        Terminal.print("nghttp2 \(NgHTTP2Library.version)")
        #if SQLite
            Terminal.print("SQLite \(SQLiteLibrary.version)")
        #endif
        #if SAML
            Terminal.print("XMLSec \(XMLSecLibrary.version)")
        #endif
    }
}

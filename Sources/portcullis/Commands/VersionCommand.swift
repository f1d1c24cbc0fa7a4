import Crypto
import HTTP
import Identity
import Reactor
import TokenStorage

/// `portcullis version`: the version of the program and of its libraries.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "print the version, the build traits, the libraries and the engine"
    static let help = """
        usage: portcullis version

        Prints the version of the program, the traits it was built with, the versions of the system libraries it is linked
        with, and whether the kernel allows io_uring. SQLite and XMLSec are listed if it was built with the traits SQLite
        and SAML.

        `portcullis --version` prints the same.
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        guard arguments.isEmpty else { throw usageError() }
        Terminal.print("portcullis \(ProgramVersion.number)")
        let traits = ProgramVersion.traits
        Terminal.print("traits \(traits.isEmpty ? "none" : traits.joined(separator: ", "))")
        Terminal.print(OpenSSLLibrary.version)
        Terminal.print("nghttp2 \(NgHTTP2Library.version)")
        #if SQLite
            Terminal.print("SQLite \(SQLiteLibrary.version)")
        #endif
        #if SAML
            Terminal.print("XMLSec \(XMLSecLibrary.version)")
        #endif
        do throws(KernelError) {
            try LoopEngine.ioUring.checkAvailable()
            Terminal.print("engine io_uring")
        } catch {
            Terminal.print("engine epoll (io_uring: \(error.text))")
        }
    }
}

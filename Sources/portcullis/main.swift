import Crypto
import Foundation

OpenSSLLibrary.start()
do throws(ExitStatus) {
    try Program.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    exit(error.rawValue)
}

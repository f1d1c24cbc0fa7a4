import Crypto
import Glibc
import Reactor

OpenSSLLibrary.start()
do throws(ExitStatus) {
    try Program.run(Array(ProcessArguments.all.dropFirst()))
} catch {
    exit(error.rawValue)
}

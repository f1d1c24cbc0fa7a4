import Bytes
import Crypto
import Foundation
import Synchronization

/// An authority of a test's own, made and used with the openssl command in a temporary directory.
final class TLSAuthority: Sendable {
    /// A kind of key as arguments of `openssl req`.
    enum Key: Sendable {
        case p256, rsa(Int)

        fileprivate var arguments: [String] {
            switch self {
            case .p256: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa(let bits): ["-newkey", "rsa:\(bits)"]
            }
        }
    }

    /// The one that most tests use.
    static let shared = TLSAuthority(subject: "/CN=Test Authority")
    /// One without anyone's trust.
    static let stranger = TLSAuthority(subject: "/CN=Stranger")

    let directory: URL

    init(subject: String) {
        directory = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)) != nil else {
            fatalError("no temporary directory")
        }
        TLSAuthority.removeAtEnd(directory)
        openssl(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", subject, "-keyout", "ca.key", "-out", "ca.pem"]
                + Key.p256.arguments)
    }

    /// Authorities live as long as the process does, their keys no longer.
    private static func removeAtEnd(_ directory: URL) {
        let isFirst = directories.withLock { directories in
            directories.append(directory)
            return directories.count == 1
        }
        guard isFirst else { return }
        atexit {
            for directory in TLSAuthority.directories.withLock({ $0 }) {
                try? FileManager.default.removeItem(at: directory)
            }
        }
    }

    private static let directories = Mutex<[URL]>([])

    var certificatePEM: [UInt8] { file("ca.pem") }

    /// A file of the authority's directory.
    func file(_ name: String) -> [UInt8] {
        guard let contents = try? Data(contentsOf: directory.appending(path: name)) else { fatalError("no \(name)") }
        return Array(contents)
    }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    /// A certificate for alternative names such as `DNS:a.example`, an hour to a day long, or over since yesterday.
    func issue(
        _ names: [String], subject: String = "/CN=leaf", key: Key = .p256, isExpired: Bool = false,
        name: String = UUID().uuidString, signedBy issuer: String = "ca", isAuthority: Bool = false,
        extensions: String = ""
    ) -> TLSCertificate {
        openssl(
            ["req", "-new", "-nodes", "-subj", subject, "-keyout", "\(name).key", "-out", "\(name).csr", "-utf8"]
                + key.arguments)
        let alternativeNames = names.isEmpty ? "" : "subjectAltName=\(names.joined(separator: ","))\n"
        write(
            alternativeNames + "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")\n" + extensions,
            "\(name).ext")
        openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-days",
            isExpired ? "-1" : "1", "-extfile", "\(name).ext", "-out", "\(name).pem",
        ])
        return TLSCertificate(chainPEM: file("\(name).pem"), keyPEM: file("\(name).key"))
    }

    /// A statement of the authority about a certificate, in DER form; it says that it knows nothing of it.
    func ocspResponse(for name: String) -> [UInt8] {
        write("", "index.txt")
        openssl(["ocsp", "-issuer", "ca.pem", "-cert", "\(name).pem", "-reqout", "\(name).req"])
        openssl([
            "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", "ca.pem", "-rkey", "ca.key", "-reqin",
            "\(name).req", "-respout", "\(name).ocsp", "-ndays", "1",
        ])
        return file("\(name).ocsp")
    }

    func write(_ text: String, _ name: String) {
        guard (try? Data(text.utf8).write(to: directory.appending(path: name))) != nil else { fatalError("no \(name)") }
    }

    func openssl(_ arguments: [String]) {
        let (isSuccess, text) = OpenSSLCommand(arguments, in: directory).wait()
        precondition(isSuccess, "openssl \(arguments.joined(separator: " ")): \(text)")
    }
}

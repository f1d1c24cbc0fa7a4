import Bytes
import Crypto

/// A certificate with its key, as an authority has issued it.
package struct ObtainedCertificate: Sendable, Equatable {
    /// PEM, the certificate itself first.
    package let chain: String
    /// PEM.
    package let key: String

    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }
}

extension ObtainedCertificate {
    /// The certificate in the text of a record, not checked; nil for none.
    package init?(recordJSON text: [UInt8]) {
        guard let root = try? JSONNode.parse(text.span) else { return nil }
        self.init(root)
    }

    init?(_ record: JSONNode) {
        guard let chain = record["chain"]?.string, let key = record["key"]?.string else { return nil }
        self.init(chain: chain, key: key)
    }

    /// Of the certificate; nil for one that no listener can present, such as one with a weak signature.
    package var summary: CertificateSummary? {
        guard let summary = try? tls.inspect(),
            (try? TLSServerContext(TLSServerSettings(certificates: [tls]))) != nil
        else { return nil }
        return summary
    }

    package var tls: TLSCertificate { TLSCertificate(chainPEM: Array(chain.utf8), keyPEM: Array(key.utf8)) }
}

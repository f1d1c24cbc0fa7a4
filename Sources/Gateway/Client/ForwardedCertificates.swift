import Bytes
import Crypto
import HTTP
import Model
import Policy

/// Certificates of clients that trusted proxies tell a listener in a header field.
package struct ForwardedCertificates: Sendable {
    let format: ClientCertificateFormat
    /// Number of proxies that add an element to the field.
    let hops: Int
    let verifier: ClientCertificateVerifier
    /// Users that these certificates stand for.
    let users: [CertificateUserRule]

    package init(
        _ format: ClientCertificateFormat, hops: Int = 1, verifier: ClientCertificateVerifier,
        users: [CertificateUserRule] = []
    ) {
        self.format = format
        self.hops = hops
        self.verifier = verifier
        self.users = users
    }

    /// The values of the fields of a request.
    struct Values {
        var certificate: ByteRange?
        var chain: ByteRange?
    }

    /// Finds the fields by their exact names; nil if one came more than once. Other spellings are removed unread, as are
    /// those of all managed fields.
    func values(_ headers: HeaderTable, _ bytes: Span<UInt8>) -> Values? {
        var values = Values()
        for i in 0..<headers.count {
            let name = bytes.slice(headers[i].name)
            if matches(name, format.fieldName) {
                if values.certificate != nil { return nil }
                values.certificate = headers[i].value
            } else if let chainName = format.chainName, matches(name, chainName) {
                if values.chain != nil { return nil }
                values.chain = headers[i].value
            }
        }
        return values
    }

    /// Whether a field of this name tells a certificate or its issuers.
    func isSource(_ name: Span<UInt8>) -> Bool {
        matches(name, format.fieldName) || format.chainName.map { matches(name, $0) } ?? false
    }

    private func matches(_ name: Span<UInt8>, _ expected: StaticString) -> Bool {
        guard name.count == expected.utf8CodeUnitCount else { return false }
        let expected = Array("\(expected)".utf8)
        return bytesEqualIgnoringCase(name, expected.span)
    }

    /// The verified certificate; nil if the values name none.
    func certificate(
        _ value: Span<UInt8>, chain: [UInt8]?
    ) throws(Reason) -> ClientCertificate? {
        let forwarded: ForwardedCertificate?
        do { forwarded = try ForwardedCertificate.read(format, value, chain: chain ?? [], hops: hops) } catch {
            throw .clientCertificateMalformed
        }
        guard let forwarded else {
            // Issuers of nothing.
            if chain?.isEmpty == false { throw .clientCertificateMalformed }
            return nil
        }
        let certificate = try verified(forwarded)
        let fingerprint = certificate.fingerprintField
        if let digest = forwarded.digest, !bytesEqualIgnoringCase(digest.span, fingerprint.span) {
            throw .clientCertificateMalformed
        }
        return certificate
    }

    private func verified(_ forwarded: ForwardedCertificate) throws(Reason) -> ClientCertificate {
        switch verifier.verify(forwarded.leaf, issuers: forwarded.issuers) {
        case .success(let certificate): return ClientCertificate(certificate, forwarded: forwarded)
        case .failure(.malformed): throw .clientCertificateMalformed
        case .failure(.revoked): throw .clientCertificateRevoked
        case .failure(.untrusted): throw .clientCertificateInvalid
        }
    }

    /// Whether a certificate that was taken earlier does not count any more.
    func refuses(_ forwarded: ForwardedCertificate) -> Bool {
        do throws(Reason) {
            _ = try verified(forwarded)
            return false
        } catch {
            return true
        }
    }
}

/// Certificates that were verified a short time ago, so that not every request of a client costs the signatures of a chain.
/// One per worker.
final class ForwardedCertificateCache {
    private struct Entry {
        let certificate: ClientCertificate
        let end: Int64
    }

    /// Seconds for which a verification counts.
    private static let lifetime: Int64 = 60
    private static let capacity = 256

    private var entries: [[UInt8]: Entry] = [:]
    private var generation: UInt64 = 0

    /// The certificate that fields of a listener name, verified now or a short time ago under the same configuration.
    /// - Parameter now: seconds since 1970.
    func certificate(
        _ forwarded: ForwardedCertificates, _ value: Span<UInt8>, chain: [UInt8]?, listener: Int, generation: UInt64,
        now: Int64
    ) throws(Reason) -> ClientCertificate? {
        if self.generation != generation {
            entries = [:]
            self.generation = generation
        }
        // No field value has a NUL.
        var key = Array("\(listener):".utf8)
        key.append(copying: value)
        if let chain {
            key.append(0)
            key += chain
        }
        if let entry = entries[key] {
            if now < entry.end { return entry.certificate }
            entries[key] = nil
        }
        guard let certificate = try forwarded.certificate(value, chain: chain) else { return nil }
        let lists = forwarded.verifier.revocationLists.compactMap(\.nextUpdate).min() ?? .max
        if entries.count >= ForwardedCertificateCache.capacity { entries = [:] }
        entries[key] = Entry(
            certificate: certificate,
            end: min(now + ForwardedCertificateCache.lifetime, certificate.certificate.notAfter, lists))
        return certificate
    }
}

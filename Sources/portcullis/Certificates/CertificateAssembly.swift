import ACME
import Configuration
import Crypto
import Gateway
import Model
import Outbound
import Reactor

/// The certificates of an authority.
struct CertificateAssembly: AssemblyPart {
    let context: AssemblyContext

    /// Tells what looks after the certificates of the authority that this configuration is read.
    /// - Returns: the key of the account, made where there is none; nil without an authority, and for a key that cannot be read,
    ///   which is reported.
    func begin() -> SigningKey? {
        guard let section = configuration.acme else {
            retained.certificates.begin(nil)
            return nil
        }
        guard let transport = transport(section) else { return nil }
        let archive = archive(section)
        var plan = RetainedCertificates.Plan(settings: section.settings, transport: transport, archive: archive)
        do throws(KeyFileError) {
            plan.accountKey = try archive.accountKey(makesKeys: context.makesKeys)
        } catch {
            // The certificates that are there stay of use.
            context.errorOfCheck("/acme", error.message)
        }
        retained.certificates.begin(plan)
        return plan.accountKey
    }

    /// A command reads the files alone.
    private func archive(_ section: ACMESection) -> CertificateArchive {
        let opened = retained.isServing ? retained.store.opened : nil
        return CertificateArchive(
            folder: section.folder, opened.flatMap { opened in opened.server.map { ($0, opened.key) } })
    }

    /// How the authority is reached; nil after an error.
    func transport(_ section: ACMESection) -> OutboundTransport? {
        var transport = OutboundTransport()
        if let tls = section.tls {
            let assembly = ClientTLSAssembly(context: context)
            guard let identity = assembly.clientIdentity(tls, at: "/acme/tls") else { return nil }
            transport.tls = assembly.clientContext(identity, at: "/acme/tls")
        }
        return transport
    }

    /// The certificate for some names, or one in its place until the authority has issued it; nil after an error.
    func certificate(for names: [String], at pointer: String) -> TLSCertificate? {
        guard let section = configuration.acme, !names.isEmpty else { return nil }
        let archive = archive(section)
        var found: ObtainedCertificate?
        do throws(KeyFileError) {
            do throws(KeyFileError) {
                found = try archive.record(names, section.settings).record.obtained
            } catch {
                context.warning(pointer, error.message)
                found = try archive.copiedRecord(names, section.settings).record.obtained
            }
        } catch {
            context.error(pointer, error.message)
            return nil
        }
        retained.certificates.note(found, for: names)
        if let found {
            if let summary = try? found.tls.inspect() { context.warnOfEnd(of: summary, at: pointer, isRenewed: true) }
            return found.tls
        }
        context.report(
            pointer,
            "there is no certificate for \(names.joined(separator: ", ")) yet; the gateway gets it when it runs",
            expected: nil, severity: .note)
        return stopgap(for: names, archive, at: pointer)
    }

    /// What is presented until the authority has issued a certificate: the one in force, or another of the gateway that has some of
    /// the names, or one that no client trusts; nil after an error.
    private func stopgap(for names: [String], _ archive: CertificateArchive, at pointer: String) -> TLSCertificate? {
        let inForce = retained.certificates.adopted?.presented[names] ?? nil
        if let known = inForce ?? archive.certificate(withMostOf: names, now: Clock.wallSeconds) {
            if let summary = try? known.tls.inspect() { context.warnOfEnd(of: summary, at: pointer, isRenewed: true) }
            return known.tls
        }
        do throws(KeyError) {
            let made = try TLSCertificate.selfSigned(for: names, commonName: "no certificate yet", seconds: 0)
            // For the metric; a command has no certificate to speak of.
            if retained.isServing, let summary = try? made.inspect() { context.noteEnd(of: summary, at: pointer) }
            return made
        } catch {
            context.error(pointer, "libcrypto makes no certificate: \(error.reason)")
            return nil
        }
    }
}

import Configuration
import Crypto
import Identity
import LoginPages
import Model
import Reactor

extension SAMLProviderEntry: AssembledProvider {
    func provider(
        _ entry: IdentityProviderEntry, in context: AssemblyContext, certificates: AssertionSources
    ) -> (any BrowserIdentityProvider)? {
        if let obstacle = SAMLVerifier.obstacle {
            context.report("\(entry.pointer)/kind", obstacle.problem, expected: obstacle.expected, severity: .error)
            return nil
        }
        guard let (known, singleSignOn) = knowledge(of: entry, in: context),
            let signers = signers(of: entry, in: context, known: known, certificates)
        else { return nil }
        let configuration = context.configuration
        let baseURL = configuration.baseURL.description
        var settings = SAMLProvider.Settings(
            name: entry.name, issuer: known.entityID, singleSignOn: singleSignOn,
            entityID: ownEntityID ?? baseURL + configuration.tokenService.paths.metadata(of: entry.name),
            consumerURL: baseURL + configuration.tokenService.paths.assertionConsumer(of: entry.name),
            certificates: signers, rules: entry.users)
        settings.login = login
        settings.clockSkewSeconds = entry.clockSkew.components.seconds
        guard let path = signingKeyFile, let certificate = signingCertificateFile else {
            return SAMLProvider(settings)
        }
        guard let (key, pem) = requestSigner(path, certificate: certificate, of: entry, in: context) else { return nil }
        settings.signer = key
        settings.signerCertificate = pem
        return SAMLProvider(settings)
    }

    /// What is known of the provider, and where browsers are sent: its entry goes before its metadata.
    private func knowledge(
        of entry: IdentityProviderEntry, in context: AssemblyContext
    ) -> (IdentityProviderMetadata, singleSignOn: WebURL)? {
        guard let path = metadataFile else {
            // What is missing has been reported.
            guard let entityID, let singleSignOn = singleSignOnURL else { return nil }
            return (IdentityProviderMetadata(entityID: entityID, singleSignOn: "", certificates: []), singleSignOn)
        }
        let pointer = "\(entry.pointer)/metadataFile"
        guard let bytes = context.read(path, at: pointer) else { return nil }
        do throws(IdentityProviderMetadata.Problem) {
            let metadata = try IdentityProviderMetadata(bytes, entityID: entityID)
            let singleSignOn = singleSignOnURL ?? singleSignOn(of: metadata, in: path, of: entry, context)
            return singleSignOn.map { (metadata, $0) }
        } catch {
            context.error(pointer, "\(path): \(error.rawValue)")
            return nil
        }
    }

    private func singleSignOn(
        of metadata: IdentityProviderMetadata, in path: String, of entry: IdentityProviderEntry,
        _ context: AssemblyContext
    ) -> WebURL? {
        let pointer = "\(entry.pointer)/metadataFile"
        guard !metadata.singleSignOn.isEmpty else {
            context.error(pointer, "\(path) names no single sign-on service for redirects")
            return nil
        }
        do throws(WebURL.Problem) {
            let url = try WebURL(metadata.singleSignOn)
            if url.isSecure || entry.isHTTPAllowed { return url }
            context.error(pointer, "the single sign-on service of \(path) is not encrypted")
        } catch {
            context.error(pointer, "the single sign-on service of \(path) has no URL to call: \(error.rawValue)")
        }
        return nil
    }

    private func signers(
        of entry: IdentityProviderEntry, in context: AssemblyContext, known: IdentityProviderMetadata,
        _ assertions: AssertionSources
    ) -> SAMLSigners? {
        var pinned: [SignerCertificate] = []
        var isWhole = true
        if let path = certificateFile {
            let pointer = "\(entry.pointer)/certificateFile"
            guard let pem = context.read(path, at: pointer) else { return nil }
            do throws(CertificateProblem) {
                pinned += try SignerCertificate.all(ofPEM: pem)
            } catch {
                context.error(pointer, "\(path): \(error.description)")
                isWhole = false
            }
        }
        for text in known.certificates {
            do throws(CertificateProblem) {
                pinned += try SignerCertificate.all(ofPEM: text)
            } catch {
                context.error("\(entry.pointer)/metadataFile", error.description)
                isWhole = false
            }
        }
        let now = Clock.wallSeconds
        for certificate in pinned where !certificate.isValid(at: now) {
            context.warning(
                entry.pointer, "the certificate of \(certificate.subject) is not valid now, and is not believed")
        }
        var subjects: [DistinguishedName] = []
        for (index, text) in certificateSubjects.enumerated() {
            let pointer = "\(entry.pointer)/certificateSubjectNames/\(index)"
            guard let name = DistinguishedName(text) else {
                context.error(
                    pointer, "\"\(text)\" is not a subject of a certificate, such as CN=idp.example.com,O=Example")
                isWhole = false
                continue
            }
            if assertions.currentCertificates.certificates(of: [name], now: now).isEmpty {
                context.warning(pointer, "certificates.json has no certificate of this subject that is valid now")
            }
            subjects.append(name)
        }
        guard isWhole else { return nil }
        guard !pinned.isEmpty || !subjects.isEmpty else {
            context.error(entry.pointer, "there is no certificate to check the provider's signatures with")
            return nil
        }
        return SAMLSigners(pinned: pinned, subjects: subjects, store: assertions)
    }

    /// The key of the gateway's requests, and the certificate that tells providers of it.
    private func requestSigner(
        _ path: String, certificate certificatePath: String, of entry: IdentityProviderEntry,
        in context: AssemblyContext
    ) -> (SigningKey, [UInt8])? {
        let pointer = "\(entry.pointer)/signingCertificateFile"
        let algorithm = signingAlgorithm
        guard !context.isAbsent(path, at: "\(entry.pointer)/signingKeyFile"),
            let key = KeyAssembly(context: context).signingKey(
                at: path, algorithm, pointer: "\(entry.pointer)/signingKeyFile"),
            let pem = context.read(certificatePath, at: pointer)
        else { return nil }
        do throws(CertificateProblem) {
            let certificate = try SignerCertificate(pem: pem)
            let proof = Array(entry.name.utf8)
            guard certificate.key.verify(key.sign(proof.span).span, of: proof.span, algorithm) else {
                context.error(pointer, "the certificate is not that of \(path)")
                return nil
            }
            if !certificate.isValid(at: Clock.wallSeconds) {
                context.warning(pointer, "the certificate is not valid now")
            }
            return (key, pem)
        } catch {
            context.error(pointer, "\(certificatePath): \(error.description)")
            return nil
        }
    }
}

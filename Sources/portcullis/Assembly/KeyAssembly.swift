import Bytes
import Configuration
import Crypto
import JOSE
import Model
import Reactor

/// Keys: those of the gateway, and key sets in files.
struct KeyAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The keys of the gateway's own tokens by algorithm, the one of access tokens first; nil after an error.
    func signingKeys() -> [SigningKeyRing]? {
        let service = configuration.tokenService
        let places = service.signingKeys
        retained.signingKeys.keep(places.map(\.indexFile))
        var rings: [SigningKeyRing?] = []
        if let secret = service.key { rings.append(signingKey(secret, service.algorithm)) }
        if service.sharesKeys, StoreAssembly(context: context).tokenStore() == nil { return nil }
        rings += places.map(signingKeys)
        return rings.contains { $0 == nil } || rings.isEmpty ? nil : rings.compactMap(\.self)
    }

    private func signingKey(_ secret: Secret, _ algorithm: SignatureAlgorithm) -> SigningKeyRing? {
        do throws(KeyError) {
            return SigningKeyRing(active: try SigningKey(secret: Array(secret.value.utf8), algorithm: algorithm))
        } catch {
            context.error("/tokenService/key", "the key does not fit \(algorithm.rawValue): \(error.reason)")
            return nil
        }
    }

    private func signingKeys(_ place: SigningKeyPlace) -> SigningKeyRing? {
        let files = SigningKeyFiles(at: place, configuration, retained.store.opened)
        do throws(KeyFileError) {
            if retained.isServing {
                try retained.signingKeys.startFollowing(
                    files, patienceMilliseconds: configuration.store.staleAfter.milliseconds, retained.log)
            }
        } catch {
            context.error("/tokenService/sharedKeys", error.message)
            return nil
        }
        do throws(KeyFileError) {
            if let ring = try retained.signingKeys.read(files, configuration) { return ring }
            guard let key = signingKey(at: place.keyFile, place.algorithm, pointer: "/tokenService/keyFile") else {
                return nil
            }
            // Again, since the schedule begins with a key that has just been made.
            return try retained.signingKeys.read(files, configuration) ?? SigningKeyRing(active: key)
        } catch {
            context.error("/tokenService/keyFile", error.message)
            return nil
        }
    }

    func signingKey(at path: String, _ algorithm: SignatureAlgorithm, pointer: String) -> SigningKey? {
        do throws(KeyFileError) {
            if !context.makesKeys, !FileSystem.exists(path) {
                return try KeyFile.generate(algorithm)
            }
            return try KeyFile.signingKey(at: path, algorithm: algorithm)
        } catch {
            context.error(pointer, error.message)
            return nil
        }
    }

    /// Keys that seal what clients carry: contexts of challenges, cookies and states of browsers.
    func sealingKeys() -> AEADKeyRing? {
        let challenge = configuration.challenge
        var keys = challenge.keys
        if keys.isEmpty, !context.makesKeys, !FileSystem.exists(challenge.keyFile) {
            keys = [SecureRandom.bytes(32)]
        }
        do throws(KeyFileError) {
            if keys.isEmpty { keys = try KeyFile.symmetricKeys(at: challenge.keyFile) }
            guard let ring = AEADKeyRing(keys.compactMap { AEADKey($0.span) }) else {
                context.error("/challenge/key", "a key must have 32 bytes")
                return nil
            }
            return ring
        } catch {
            context.error("/challenge/keyFile", error.message)
            return nil
        }
    }

    func keySet(_ path: String, pointer: String) -> KeySet? {
        context.read(path, at: pointer).flatMap { keySet($0, from: path, pointer: pointer) }
    }

    /// - Parameter path: origin of the text, for messages.
    private func keySet(_ bytes: [UInt8], from path: String, pointer: String) -> KeySet? {
        do throws(KeySetError) {
            let keys = try KeySet(file: bytes.span)
            warnOfDates(bytes, from: path, pointer: pointer)
            return keys
        } catch {
            context.error(pointer, "\(path): \(error)")
            return nil
        }
    }

    /// Dates of certificates do not matter for their keys, but the issuer may have new ones.
    private func warnOfDates(_ bytes: [UInt8], from path: String, pointer: String) {
        let now = Clock.wallSeconds
        for certificate in KeySet.certificates(in: bytes.span) where !certificate.isValid(at: now) {
            let state =
                certificate.notAfter < now
                ? "has expired on \(InternetDate.text(certificate.notAfter))"
                : "is valid from \(InternetDate.text(certificate.notBefore))"
            context.warning(
                pointer, "\(path): the certificate of \(certificate.subject) \(state); its key counts nevertheless")
        }
    }

    func clientKeys(_ entry: ClientKeysEntry?, at pointer: String) -> KeySet? {
        switch entry {
        case .file(let path): keySet(path, pointer: pointer)
        case .inline(let json): keySet(json, from: "clientKeys", pointer: pointer)
        case nil: nil
        }
    }
}

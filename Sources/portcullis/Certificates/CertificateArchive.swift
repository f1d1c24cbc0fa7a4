import ACME
import Bytes
import Configuration
import Crypto
import Gateway
import JOSE
import Model
import Reactor
import TokenStorage

/// What the gateway has of an authority: the account's key and the certificates, as files of a folder. Where several machines share
/// a store, they are there, and the files are a copy for times without it.
struct CertificateArchive: Sendable {
    /// A document with what its replacement depends on.
    fileprivate struct Kept {
        let text: [UInt8]
        let version: SealedDocument.Version?
    }

    private let folder: String
    private let store: (server: any StoreServer, key: TokenDigestKey)?

    /// - Parameter store: that several machines share, with `store.key`; nil for the folder alone.
    init(folder: String, _ store: (server: any StoreServer, key: TokenDigestKey)?) {
        self.folder = folder
        self.store = store
    }

    // MARK: The account

    /// The key of the account; made where there is none, unless that is not wanted.
    func accountKey(makesKeys: Bool) throws(KeyFileError) -> SigningKey? {
        for _ in 0..<CertificateArchive.attempts {
            guard let kept = try read("account.pem") else {
                if !makesKeys { return nil }
                // If another gateway is first, the next attempt finds its key.
                _ = try place(Array(KeyFile.generate(.es256).pem.utf8), insteadOf: nil, "account.pem")
                continue
            }
            do throws(KeyError) {
                return try SigningKey(pem: String(decoding: kept.text, as: UTF8.self), algorithm: .es256)
            } catch {
                throw KeyFileError(message: "\(path("account.pem")) holds no key for ES256: \(error.reason)")
            }
        }
        throw KeyFileError(message: "\(path("account.pem")) cannot be made", isTransient: true)
    }

    // MARK: Certificates

    /// A record with what its replacement depends on.
    struct KeptRecord {
        let record: CertificateRecord
        fileprivate let kept: Kept?
    }

    /// What is known of a certificate. A damaged document counts as none, and is replaced. Of file and store, that with the later
    /// certificate counts, since a store may have been restored.
    func record(_ names: [String], _ settings: ACMESettings) throws(KeyFileError) -> KeptRecord {
        let kept = try read(CertificateArchive.name(names, settings)) { file, stored in
            guard let file = CertificateRecord(json: file, names: names), file.obtained != nil else { return false }
            return file.obtainedAt > CertificateRecord(json: stored, names: names)?.obtainedAt ?? 0
        }
        return KeptRecord(kept, names)
    }

    /// The same of the file, which may be older than the store.
    func copiedRecord(_ names: [String], _ settings: ACMESettings) throws(KeyFileError) -> KeptRecord {
        KeptRecord(try file(CertificateArchive.name(names, settings)), names)
    }

    /// The certificate of the folder that is valid for most of some names; nil for none.
    func certificate(withMostOf names: [String], now: Int64) -> ObtainedCertificate? {
        let directory = path("certificates")
        let files = (try? FileSystem.names(in: directory)) ?? []
        var best: (certificate: ObtainedCertificate, count: Int)?
        for file in files.sorted() where file.hasSuffix(".json") {
            guard let text = try? KeyFile.read("\(directory)/\(file)"),
                let certificate = ObtainedCertificate(recordJSON: text), let summary = certificate.summary,
                !summary.isExpired(at: now)
            else { continue }
            let count = names.count(where: summary.covers)
            if count > best?.count ?? 0 { best = (certificate, count) }
        }
        return best?.certificate
    }

    /// Replaces a record.
    /// - Returns: nil if it has changed since it was read.
    func replace(
        _ known: KeptRecord, with record: CertificateRecord, _ settings: ACMESettings
    ) throws(KeyFileError) -> KeptRecord? {
        let name = CertificateArchive.name(record.names, settings)
        let text = record.json
        var kept = known.kept
        for _ in 0..<CertificateArchive.attempts {
            if try place(text, insteadOf: kept, name) {
                guard let placed = try read(name), placed.text == text else { return nil }
                return KeptRecord(record: record, kept: placed)
            }
            // Another gateway may have sealed the same record by its own key.
            let current = try read(name)
            guard current?.text == known.kept?.text else { return nil }
            kept = current
        }
        return nil
    }

    /// The first name, with a digest of all and of the authority.
    private static func name(_ names: [String], _ settings: ACMESettings) -> String {
        let all = "\(settings.directory) \(names.joined(separator: " "))"
        let digest = DigestAlgorithm.sha256.digest(Array(all.utf8).span)
        let suffix = String(decoding: Base64.encode(Array(digest.prefix(9)).span, .url), as: UTF8.self)
        return "certificates/\((names.first ?? "").prefix(100))-\(suffix).json"
    }

    // MARK: Documents

    /// The document of a name; nil for none. Brings the file to that of the store, or the store to that of the file where it
    /// has lost it.
    ///
    /// - Parameter prefersFile: whether the text of the file counts, and not that of the store.
    private func read(
        _ name: String, prefersFile: ([UInt8], [UInt8]) -> Bool = { _, _ in false }
    ) throws(KeyFileError) -> Kept? {
        guard let document = document(name) else { return try file(name) }
        for _ in 0..<CertificateArchive.attempts {
            let file = try file(name)
            guard let version = try document.read() else {
                guard let file else { return nil }
                // If another gateway is first, the next attempt finds its document.
                _ = try document.place(file.text, insteadOf: nil)
                continue
            }
            if let file, version.text != file.text, prefersFile(file.text, version.text) {
                _ = try document.place(file.text, insteadOf: version)
                continue
            }
            if version.text != file?.text { try write(version.text, name) }
            guard version.isByFormerKey else { return Kept(text: version.text, version: version) }
            _ = try document.place(version.text, insteadOf: version)
        }
        throw KeyFileError(message: "\"\(name)\" in the store keeps changing", isTransient: true)
    }

    private static let attempts = 8

    /// The document as the file has it.
    private func file(_ name: String) throws(KeyFileError) -> Kept? {
        try KeyFile.read(path(name)).map { Kept(text: $0, version: nil) }
    }

    /// Replaces what was read.
    /// - Returns: false if it has changed meanwhile.
    private func place(_ text: [UInt8], insteadOf known: Kept?, _ name: String) throws(KeyFileError) -> Bool {
        if let document = document(name) {
            guard try document.place(text, insteadOf: known?.version) else { return false }
            try write(text, name)
            return true
        }
        let directory = FilePath.directory(of: path(name))
        try KeyFile.makeDirectory(directory)
        let lock: FileLock?
        do throws(KernelError) {
            lock = try FileLock.onDirectory(directory, milliseconds: CertificateArchive.patienceMilliseconds)
        } catch {
            throw KeyFileError(message: "\(directory) cannot be locked: \(error.text)")
        }
        guard let lock else { throw KeyFileError(message: "\(directory) stays locked", isTransient: true) }
        defer { withExtendedLifetime(lock) {} }
        guard try file(name)?.text == known?.text else { return false }
        try write(text, name)
        return true
    }

    private static let patienceMilliseconds: Int64 = 10_000

    private func write(_ text: [UInt8], _ name: String) throws(KeyFileError) {
        try KeyFile.makeDirectory(FilePath.directory(of: path(name)))
        try KeyFile.replace(path(name), with: text)
    }

    /// Where the account's key is.
    static func accountFile(in folder: String) -> String { "\(folder)/account.pem" }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private func document(_ name: String) -> SealedDocument? {
        store.map { store in
            SealedDocument(
                "acme:\(name)", purpose: "portcullis acme 1 \(name)", content: "certificates", in: store.server,
                store.key)
        }
    }
}

extension CertificateArchive.KeptRecord {
    fileprivate init(_ kept: CertificateArchive.Kept?, _ names: [String]) {
        let record = kept.flatMap { CertificateRecord(json: $0.text, names: names) }
        self.init(record: record ?? CertificateRecord(names: names), kept: kept)
    }
}

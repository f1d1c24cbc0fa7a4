import Configuration
import Reactor

/// Finds files that the gateway writes and that are not writable.
struct WritingCheck: AssemblyPart {
    let context: AssemblyContext

    /// Reports files that the gateway writes and that are not writable.
    func checkWriting() {
        var places: [(pointer: String, path: String, isDatabase: Bool)] = []
        if let file = configuration.store.entry?.file { places.append(("/store/\(file.key)", file.path, true)) }
        if configuration.store.kind.sharing != .process, configuration.store.keys.isEmpty {
            places.append(("/store/keyFile", configuration.store.keyFile, false))
        }
        let service = configuration.tokenService
        for keys in service.signingKeys {
            places.append(("/tokenService/keyFile", keys.keyFile, false))
            if service.rotateEvery != nil || service.sharesKeys {
                let key = service.sharesKeys ? "sharedKeys" : "rotateEvery"
                places.append(("/tokenService/\(key)", keys.indexFile, true))
            }
        }
        if configuration.challenge.keys.isEmpty {
            places.append(("/challenge/keyFile", configuration.challenge.keyFile, false))
        }
        if let acme = configuration.acme {
            places.append(("/acme/folder", CertificateArchive.accountFile(in: acme.folder), true))
        }
        // Each folder is reported once.
        var obstacles: Set<String> = []
        for (pointer, path, isDatabase) in places {
            // An existing key is only read.
            if !isDatabase, FileSystem.exists(path) { continue }
            guard let obstacle = WritableFile.obstacle(path, makesFolders: true, isDatabase: isDatabase),
                obstacles.insert(obstacle).inserted
            else { continue }
            context.errorOfCheck(
                pointer, "\(path) cannot be written: \(obstacle)", expected: "a place that the gateway may write to")
        }
        if case .file(let path) = configuration.log.access, let obstacle = WritableFile.obstacle(path) {
            context.errorOfCheck(
                "/log/access", "the access log \(path) cannot be written: \(obstacle)",
                expected: "a file that can be appended to, in a folder that is there")
        }
    }
}

/// Checks whether a file is writable, without writing.
private enum WritableFile {
    /// The obstacle and the path that causes it; nil if there is none.
    ///
    /// - Parameters:
    ///   - makesFolders: whether missing folders would be created.
    ///   - isDatabase: whether other files are written beside it.
    static func obstacle(_ path: String, makesFolders: Bool = false, isDatabase: Bool = false) -> String? {
        if FileSystem.exists(path) {
            if FileSystem.isDirectory(path) { return "\(path): Is a directory" }
            if !FileSystem.isWritable(path) { return "\(path): Permission denied" }
            if !isDatabase { return nil }
        }
        var folder = FilePath.directory(of: path)
        while !FileSystem.exists(folder), folder != "/", folder != "." {
            let parent = FilePath.directory(of: folder)
            if !makesFolders, FileSystem.isDirectory(parent) { return "\(folder): No such file or directory" }
            folder = parent
        }
        if !FileSystem.isDirectory(folder) { return "\(folder): Not a directory" }
        return FileSystem.isWritable(folder) ? nil : "\(folder): Permission denied"
    }
}

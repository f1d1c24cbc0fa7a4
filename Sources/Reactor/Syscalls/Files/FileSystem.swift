import CLinux

/// Files and directories by their paths. Symbolic links are followed.
package enum FileSystem {
    /// The contents of a file.
    /// - Parameter acceptsPipes: whether it may be no regular file, such as a pipe of the shell; reading then waits for the other
    ///   end.
    package static func read(_ path: String, acceptsPipes: Bool = false) throws(KernelError) -> [UInt8] {
        let path = try checked(path)
        // SAFETY: the text outlives the call.
        let opened = unsafe acceptsPipes ? clinux_open_reading(path) : clinux_open_regular(path)
        let descriptor = Descriptor(try Kernel.check(opened))
        return try descriptor.readToEnd()
    }

    /// Hands over each line of a file or pipe, without its end, as it is read. Of longer lines than `longest` bytes the rest is
    /// left out.
    package static func readLines(
        _ path: String, longest: Int = 1 << 20, _ body: ([UInt8]) -> Void
    ) throws(KernelError) {
        let path = try checked(path)
        // SAFETY: the text outlives the call.
        let descriptor = Descriptor(try Kernel.check(unsafe clinux_open_reading(path)))
        var line: [UInt8] = []
        while true {
            let piece = try descriptor.read()
            if piece.isEmpty { break }
            let parts = piece.split(separator: 10, omittingEmptySubsequences: false)
            for (place, part) in parts.enumerated() {
                line += part.prefix(max(0, longest - line.count))
                if place == parts.count - 1 { break }
                body(line)
                line = []
            }
        }
        if !line.isEmpty { body(line) }
    }

    /// Appends to a file, which must exist.
    package static func append(_ bytes: [UInt8], to path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        let descriptor = Descriptor(try Kernel.check(unsafe clinux_open_appending(try checked(path))))
        try descriptor.write(bytes)
    }

    /// Whether something is there; false for what this process cannot examine.
    package static func exists(_ path: String) -> Bool { (try? FileStatus(path)) != nil }

    package static func isDirectory(_ path: String) -> Bool { (try? FileStatus(path))?.kind == .directory }

    package static func isWritable(_ path: String) -> Bool {
        // SAFETY: the text outlives the call.
        (try? checked(path)).map { unsafe clinux_check_writable($0) == 0 } ?? false
    }

    /// The names of the entries of a directory, in no order.
    package static func names(in directory: String) throws(KernelError) -> [String] {
        var error: Int32 = 0
        // SAFETY: the directory is closed at the end, and each name is copied before the next one is asked for.
        guard let entries = unsafe clinux_open_directory(try checked(directory), &error) else {
            throw KernelError(error)
        }
        defer { unsafe clinux_close_directory(entries) }
        var names: [String] = []
        while let name = unsafe clinux_next_name(entries) { names.append(unsafe String(cString: name)) }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Makes a directory and those above it, each with this mode, where they are missing.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o777) throws(KernelError) {
        let path = try checked(path)
        // SAFETY: the text outlives the call.
        var result = unsafe clinux_make_directory(path, mode)
        if result == -ENOENT, FilePath.directory(of: path) != path {
            try makeDirectory(FilePath.directory(of: path), mode: mode)
            // SAFETY: as above.
            result = unsafe clinux_make_directory(path, mode)
        }
        if result == -EEXIST, isDirectory(path) { return }
        _ = try Kernel.check(result)
    }

    /// A new directory that only its owner can access, where temporary files belong.
    package static func makeTemporaryDirectory(_ name: String) throws(KernelError) -> String {
        let place = Environment.values["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var path = Array(try checked("\(place)/\(name)-XXXXXX").utf8CString)
        // SAFETY: the call changes the last letters in place, and the array outlives it.
        _ = try Kernel.check(unsafe clinux_make_temporary_directory(&path))
        return String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes a file; of a symbolic link the link.
    package static func remove(_ path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_unlink(try checked(path)))
    }

    /// Removes a directory with the files in it.
    package static func removeDirectory(_ path: String) throws(KernelError) {
        for name in try names(in: path) { try remove("\(path)/\(name)") }
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_remove_directory(path))
    }

    package static func setMode(_ mode: UInt32, of path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_set_path_mode(try checked(path), mode))
    }

    package static func setOwner(_ owner: UInt32, group: UInt32, of path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        _ = try Kernel.check(unsafe clinux_set_path_owner(try checked(path), owner, group))
    }

    /// What a path leads to, without symbolic links. A file may be missing; where a link leads to it, its target is named.
    package static func resolved(_ path: String) -> String {
        guard var path = try? checked(path) else { return path }
        // As many as the kernel follows.
        for _ in 0..<40 {
            // SAFETY: the array has room for the longest path that realpath answers.
            if let whole = unsafe text({ unsafe clinux_resolve_path(path, $0) }) { return whole }
            // SAFETY: readlink writes within the array, of which the last byte stays zero.
            guard let target = unsafe text({ Int32(clamping: unsafe clinux_link_target(path, $0, longestPath)) }) else {
                return path
            }
            path = target.hasPrefix("/") ? target : "\(FilePath.directory(of: path))/\(target)"
        }
        return path
    }

    /// The directory that relative paths start from; nil for one that was removed.
    static var workingDirectory: String? {
        // SAFETY: getcwd writes within the array.
        unsafe text { unsafe clinux_working_directory($0, longestPath) }
    }

    private static let longestPath = 4096

    /// A text that the C library writes; nil after an error.
    private static func text(_ write: (UnsafeMutablePointer<CChar>) -> Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: longestPath + 1)
        // SAFETY: the pointer is used during the call alone.
        let result = unsafe bytes.withUnsafeMutableBufferPointer { unsafe write($0.baseAddress!) }
        guard result >= 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A path without NUL, which would end it early, so that it named another file.
    static func checked(_ path: String) throws(KernelError) -> String {
        if path.utf8.contains(0) { throw KernelError(EINVAL) }
        return path
    }
}

/// Owner, mode and kind of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable { case regular, directory, symbolicLink, other }

    package let kind: Kind
    package let owner: UInt32
    package let group: UInt32
    /// The bits of `chmod`.
    package let mode: UInt32
    /// Seconds since 1970.
    package let modified: Int64

    /// - Parameter followsLinks: false for the status of a symbolic link itself.
    package init(_ path: String, followsLinks: Bool = true) throws(KernelError) {
        var status = clinux_file_status()
        // SAFETY: both outlive the call.
        _ = try Kernel.check(unsafe clinux_file_status(try FileSystem.checked(path), followsLinks ? 1 : 0, &status))
        kind =
            switch UInt8(bitPattern: status.kind) {
            case UInt8(ascii: "f"): .regular
            case UInt8(ascii: "d"): .directory
            case UInt8(ascii: "l"): .symbolicLink
            default: .other
            }
        (owner, group, mode, modified) = (status.owner, status.group, status.mode, status.modified)
    }
}

/// Paths as text.
package enum FilePath {
    /// The path without its last component: `/a` of `/a/b` and of `/a/b/`, `.` of `a`.
    package static func directory(of path: String) -> String {
        let plain = withoutSlashes(path[...])
        guard let slash = plain.lastIndex(of: "/") else { return plain.isEmpty && !path.isEmpty ? "/" : "." }
        let parent = withoutSlashes(plain[..<slash])
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The last component: `b` of `/a/b` and of `/a/b/`.
    package static func name(of path: String) -> String {
        let plain = withoutSlashes(path[...])
        return String(plain[(plain.lastIndex(of: "/").map(plain.index(after:)) ?? plain.startIndex)...])
    }

    /// The path from the root, without `.`, `..` and needless slashes. Symbolic links are not looked at.
    package static func absolute(_ path: String) -> String {
        var components: [Substring] = []
        let whole = path.hasPrefix("/") ? path : "\(FileSystem.workingDirectory ?? "")/\(path)"
        for component in whole.split(separator: "/") {
            switch component {
            case ".": continue
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }

    private static func withoutSlashes(_ path: Substring) -> Substring {
        path[..<(path.lastIndex { $0 != "/" }.map(path.index(after:)) ?? path.startIndex)]
    }
}

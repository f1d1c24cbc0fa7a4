/// The types of the sources with their members and files, over all extensions.
struct TypeIndex {
    /// One type: its members, and the files of its target that declare or extend it.
    struct Entry {
        var members = 0
        var files: Set<String> = []
    }

    /// By target and qualified name: `Gateway.Worker`.
    private(set) var types: [String: Entry] = [:]

    static let sources = TypeIndex(SourceTree.sources)

    /// Extensions of a type by other targets count as its members: a type is not made smaller by moving a part of it.
    init(_ files: [SourceFile]) {
        let scans = files.map { ($0, $0.declarations) }
        var targets: [String: Set<String>] = [:]
        for (file, scan) in scans { for name in scan.declared { targets[name, default: []].insert(file.module) } }
        for (file, scan) in scans {
            for (name, members) in scan.members {
                guard let declaring = targets[name] else { continue }
                let isOwn = declaring.contains(file.module)
                guard isOwn || declaring.count == 1, let target = isOwn ? file.module : declaring.first else {
                    continue
                }
                types["\(target).\(name)", default: Entry()].members += members
                if isOwn { types["\(target).\(name)", default: Entry()].files.insert(file.path) }
            }
        }
    }
}

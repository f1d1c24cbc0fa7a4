import CLinux

/// The environment of this process. Other threads must not read it while it is changed.
package enum Environment {
    /// The variables by name. Of equal names the first counts, as for the C library.
    package static var values: [String: String] {
        Dictionary(
            entries.compactMap { entry in
                entry.firstIndex(of: "=").map { (String(entry[..<$0]), String(entry[entry.index(after: $0)...])) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads and removes a variable.
    static func take(_ name: String) -> String? {
        // SAFETY: the text is copied before the variable is removed.
        guard let value = unsafe clinux_environment(name) else { return nil }
        let copy = unsafe String(cString: value)
        unsafe clinux_forget_environment(name)
        return copy
    }

    /// All entries `name=value`, with some added or replaced.
    static func entries(changedBy changes: [String]) -> [String] {
        let names = Set(changes.map { $0.prefix { $0 != "=" } })
        return entries.filter { !names.contains($0.prefix { $0 != "=" }) } + changes
    }

    private static var entries: [String] {
        var entries: [String] = []
        // SAFETY: the list ends with a null pointer, and the texts are copied at once.
        while let entry = unsafe clinux_environment_entry(Int32(entries.count)) {
            entries.append(unsafe String(cString: entry))
        }
        return entries
    }
}

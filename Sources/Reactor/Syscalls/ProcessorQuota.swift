import CLinux

/// The processor quota of this process's control groups (cgroups(7)): `cpu.max` of version 2, `cpu.cfs_quota_us` of
/// version 1. In a container with a limit of two processors, two loops are best.
package struct ProcessorQuota {
    private let root: String

    /// - Parameter root: prefix of `/proc` and `/sys`.
    package init(root: String = "") { self.root = root }

    /// Processors of the quota, rounded up, including the quotas of parent groups; nil without a quota.
    package var processors: Int? {
        let lines = read("/proc/self/cgroup").split(separator: "\n")
        return lines.compactMap(quota).min()
    }

    /// The minimum quota from the group of a line `ID:CONTROLLERS:PATH` up to the root. In a container the mounted root
    /// may be the group itself.
    private func quota(_ line: Substring) -> Int? {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let isSecondVersion = parts[0] == "0" && parts[1].isEmpty
        guard isSecondVersion || parts[1].split(separator: ",").contains("cpu") else { return nil }
        var least: Int?
        var names = parts[2].split(separator: "/")
        while true {
            let path = names.map { "/\($0)" }.joined()
            let found = isSecondVersion ? unified("/sys/fs/cgroup\(path)") : legacy("/sys/fs/cgroup/cpu\(path)")
            if let found { least = min(found, least ?? found) }
            guard names.popLast() != nil else { return least }
        }
    }

    /// `cpu.max`: "QUOTA PERIOD" or "max PERIOD".
    private func unified(_ group: String) -> Int? {
        let words = read(group + "/cpu.max").split { $0 == " " || $0 == "\n" }
        return words.count == 2 ? ProcessorQuota.processors(words[0], of: words[1]) : nil
    }

    private func legacy(_ group: String) -> Int? {
        let quota = read(group + "/cpu.cfs_quota_us").split(separator: "\n").first ?? ""
        let period = read(group + "/cpu.cfs_period_us").split(separator: "\n").first ?? ""
        return ProcessorQuota.processors(quota, of: period)
    }

    /// Nil for a text that is not a positive number: "max" or -1.
    private static func processors(_ quota: Substring, of period: Substring) -> Int? {
        guard let quota = Int(quota), let period = Int(period), quota > 0, period > 0 else { return nil }
        return max(1, (quota - 1) / period + 1)
    }

    /// The first 64 KiB; empty if the file is unreadable.
    private func read(_ path: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: the kernel writes at most the length of the array, during the call.
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe clinux_read_file(root + path, $0.baseAddress, $0.count)
        }
        return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : ""
    }
}

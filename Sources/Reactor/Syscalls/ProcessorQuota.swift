import Bytes
import CLinux

/// The processor time that control groups leave to this process (cgroups(7)): `cpu.max` of version 2, `cpu.cfs_quota_us` of
/// version 1. In a container with a limit of two processors on a machine of 64, two loops serve best.
package struct ProcessorQuota {
    private let root: String

    /// - Parameter root: in front of `/proc` and `/sys`.
    package init(root: String = "") { self.root = root }

    /// Whole processors, rounded up; nil where there is no quota. That of every group above counts as well.
    package var processors: Int? {
        let lines = read("/proc/self/cgroup").split(separator: "\n")
        return lines.compactMap(quota).min()
    }

    /// The least quota on the way from the group of a line, `ID:CONTROLLERS:PATH`, up to the root. In a container the root
    /// that is mounted may be the group itself, whatever the path says.
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

    /// Nil where a text is no positive number: "max", or -1 for no quota.
    private static func processors(_ quota: Substring, of period: Substring) -> Int? {
        guard let quota = Int(quota), let period = Int(period), quota > 0, period > 0 else { return nil }
        return max(1, (quota - 1) / period + 1)
    }

    /// The first 64 KiB; empty where the file cannot be read.
    private func read(_ path: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: the kernel writes at most the length of the array, during the call.
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe clinux_read_file(root + path, $0.baseAddress, $0.count)
        }
        return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : ""
    }
}

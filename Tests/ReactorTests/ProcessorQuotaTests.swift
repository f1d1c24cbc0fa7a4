import Foundation
import TestSupport
import Testing

@testable import Reactor

/// The quota of control groups, from files as the kernel shows them.
@Suite struct ProcessorQuotaTests {
    private static func processors(_ files: [String: String]) throws -> Int? {
        let directory = try TemporaryDirectory()
        for (name, text) in files {
            let url = URL(fileURLWithPath: directory.path).appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return withExtendedLifetime(directory) { ProcessorQuota(root: directory.path).processors }
    }

    @Test(
        "version 2: the least quota on the way up, in whole processors",
        arguments: [
            ("200000 100000\n", 2), ("150000 100000\n", 2), ("50000 100000\n", 1), ("1000 100000\n", 1),
            ("max 100000\n", nil), ("", nil), ("-1 100000\n", nil), ("0 100000\n", nil), ("100000 0\n", nil),
            ("1e5 100000\n", nil), ("9223372036854775807 1\n", Int.max),
        ] as [(String, Int?)])
    func unified(_ text: String, _ expected: Int?) throws {
        let group = ["proc/self/cgroup": "0::/a/b\n"]
        for place in ["sys/fs/cgroup/a/b/cpu.max", "sys/fs/cgroup/a/cpu.max", "sys/fs/cgroup/cpu.max"] {
            #expect(try ProcessorQuotaTests.processors(group.merging([place: text]) { $1 }) == expected, "\(place)")
        }
        let both = group.merging(["sys/fs/cgroup/a/b/cpu.max": text, "sys/fs/cgroup/a/cpu.max": "300000 100000"]) { $1 }
        #expect(try ProcessorQuotaTests.processors(both) == min(expected ?? 3, 3))
    }

    @Test(
        "version 1: quota and period in files of their own",
        arguments: [("400000\n", "100000\n", 4), ("-1\n", "100000\n", nil), ("25000\n", "50000\n", 1)]
            as [(String, String, Int?)])
    func legacy(_ quota: String, _ period: String, _ expected: Int?) throws {
        for group in ["/docker/1", ""] {
            let files = [
                "proc/self/cgroup": "12:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n0::/docker/1\n",
                "sys/fs/cgroup/cpu\(group)/cpu.cfs_quota_us": quota,
                "sys/fs/cgroup/cpu\(group)/cpu.cfs_period_us": period,
            ]
            #expect(try ProcessorQuotaTests.processors(files) == expected)
        }
    }

    @Test("without control groups, or with files that make no sense, there is no quota")
    func none() throws {
        #expect(try ProcessorQuotaTests.processors([:]) == nil)
        #expect(try ProcessorQuotaTests.processors(["proc/self/cgroup": "nonsense\n::\n7:memory:/\n"]) == nil)
    }

    @Test("this process may use one processor at least, and no more than the kernel lets it run on")
    func own() {
        #expect(WorkerThread.processorCount >= 1)
        #expect(WorkerThread.processorCount <= ProcessInfo.processInfo.processorCount)
    }
}

import Foundation
import Testing

@testable import Reactor

/// Memory that was freed between blocks that stay: malloc gives it back only when it is asked to.
@Suite struct HeapTrimmerTests {
    /// Bytes of this process in memory.
    private static var resident: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    @Test("freed memory goes back to the system, though some of what lies between is still in use")
    func trim() throws {
        var blocks: [[UInt8]?] = (0..<200_000).map { _ in [UInt8](repeating: 1, count: 1024) }
        let full = HeapTrimmerTests.resident
        for i in blocks.indices where i % 500 != 0 { blocks[i] = nil }
        let trimmer = HeapTrimmer()
        for _ in 0..<3 { trimmer.request() }
        let deadline = ContinuousClock.now + .seconds(20)
        while HeapTrimmerTests.resident > full - 100_000_000, ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(HeapTrimmerTests.resident <= full - 100_000_000)
        #expect(blocks.count { $0 != nil } == 400)
    }
}

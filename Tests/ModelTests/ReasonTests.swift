import Testing

@testable import Model

@Suite struct ReasonTests {
    @Test("a code and its status tell reasons apart, wherever their literals are")
    func equality() {
        let reason = Reason("no_route", 404, retryAfter: 5)
        // Two literals of a program are one where the linker merges them; a copy is never the literal.
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
        defer { unsafe copy.deallocate() }
        _ = unsafe copy.initialize(from: "no_route".utf8)
        let layout = (UInt(bitPattern: copy.baseAddress), UInt16(8), UInt16(404), UInt8(0), TokenError.none, false)
        let other = unsafe unsafeBitCast(layout, to: Reason.self)
        #expect(reason == other && reason.hashValue == other.hashValue && reason.start != other.start)
        for different in [Reason("no_routf", 404), Reason("no_rout", 404), Reason("no_route", 405)] {
            #expect(reason != different)
        }
        #expect(Set([reason, other, Reason("no_routf", 404)]).count == 2)
    }

    @Test("clients see one code for all 401s")
    func publicCodes() {
        #expect(Reason("no_route", 404).publicCode == "no_route")
        #expect(Reason("bad_signature", 401).publicCode == "unauthorized")
    }

    @Test("a reason has its status, its wait, and whether it is one of success")
    func values() {
        let busy = Reason("busy", 503, retryAfter: 60)
        #expect("\(busy)" == "busy" && busy.status == 503 && busy.retryAfterSeconds == 60 && !busy.isServed)
        #expect(Reason("busy", 503).retryAfterSeconds == nil)
        #expect(Reason.served("allowed").isServed && Reason.served("allowed").status == 0)
        #expect(MemoryLayout<Reason>.stride == 16)
    }
}

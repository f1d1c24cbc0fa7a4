/// The part of a worker that a socket or timer belongs to.
enum LoopRole {
    static let client: UInt8 = 1
    static let upstream: UInt8 = 2
    static let housekeeping: UInt8 = 3
    static let drainDeadline: UInt8 = 4
    static let stream: UInt8 = 5
    static let upstreamCare: UInt8 = 6
    static let healthCheck: UInt8 = 7
    static let readmission: UInt8 = 8
    static let upstreamSession: UInt8 = 9
    static let store: UInt8 = 11
    static let revocations: UInt8 = 14
    static let call: UInt8 = 10
    static let accessLog: UInt8 = 15
}

import Model
import Testing

@testable import HTTP

/// Checks that the bytes mean the same however they are cut: in two at every place, and byte by byte.
///
/// Of a message that is refused at once, the pieces may leave the head incomplete where its end is not there at all;
/// they are never accepted, nor refused for another reason.
func expectSameWhenCut(
    _ bytes: [UInt8], _ side: MessageReader.Side, limits: HTTPLimits = HTTPLimits(),
    everyPlace: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
) {
    let whole = MessageReader.read(bytes, side, limits: limits)
    func check(_ outcome: MessageOutcome, _ cut: String) {
        if whole.error != nil, outcome == .incomplete { return }
        if outcome == whole { return }
        Issue.record("cut \(cut): \(outcome), whole: \(whole)", sourceLocation: sourceLocation)
    }
    if everyPlace {
        for place in 1..<max(bytes.count, 2) where place < bytes.count {
            check(MessageReader.read(bytes, side, limits: limits, cutAt: [place]), "at \(place)")
        }
    }
    check(MessageReader.readByteByByte(bytes, side, limits: limits), "everywhere")
}

import Bytes

extension JSONNode {
    /// A NumericDate (RFC 7519 section 2) from 1970 to the year 9999, in whole seconds; fractions are cut off. Nil for another
    /// value.
    package var numericDate: Int64? {
        let furthest: Int64 = 253_402_300_799
        if let integer { return (0...furthest).contains(integer) ? integer : nil }
        guard let number, number >= 0, number <= Double(furthest) else { return nil }
        return Int64(number.rounded(.down))
    }
}

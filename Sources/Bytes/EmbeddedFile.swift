extension [UInt8] {
    /// The contents of a file that is part of the program.
    ///
    /// - Parameter byte: the byte at a place; negative behind the end.
    package init(embedded byte: (Int) -> Int32) {
        self = []
        while let next = UInt8(exactly: byte(count)) { append(next) }
    }
}

extension [UInt8] {
    /// The text without the byte order mark that some editors write before UTF-8 (RFC 3629 section 6).
    package var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: [0xEF, 0xBB, 0xBF]) ? self[3...] : self[...] }
}

import Bytes

/// Whether stored text and request text are equal byte by byte.
func equal(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqual(stored.span, text) }

/// The same, ignoring the case of ASCII letters.
func equalIgnoringCase(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqualIgnoringCase(stored.span, text) }

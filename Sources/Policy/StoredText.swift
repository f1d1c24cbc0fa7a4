import Bytes

/// Whether stored text and text of a request are the same bytes.
func equal(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqual(stored.span, text) }

/// The same but for the case of ASCII letters.
func equalIgnoringCase(_ stored: [UInt8], _ text: Span<UInt8>) -> Bool { bytesEqualIgnoringCase(stored.span, text) }

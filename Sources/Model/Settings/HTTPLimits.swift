/// Limits of a message head.
package struct HTTPLimits: Sendable {
    /// Bytes of a whole head, request or status line and the empty line included.
    package var maximumHeadBytes = 16_384
    /// Field lines of a head.
    package var maximumFields = 100
    /// Bytes of a request target.
    package var maximumTargetBytes = 8_192

    package init() {}
}

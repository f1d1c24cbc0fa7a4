import CLinux

/// The arguments of this process, of which the first is its name.
package enum ProcessArguments {
    /// The standard library reads them from `/proc`, which a chroot may lack. The stack has them always.
    package static let all = CommandLine.arguments.isEmpty ? initial : CommandLine.arguments

    private static var initial: [String] {
        var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = unsafe clinux_initial_arguments(&start)
        guard let start = unsafe start else { return [] }
        // SAFETY: the kernel wrote `count` pointers to texts, which live as long as the process.
        return (0..<Int(count)).compactMap { index in unsafe start[index].map { unsafe String(cString: $0) } }
    }
}

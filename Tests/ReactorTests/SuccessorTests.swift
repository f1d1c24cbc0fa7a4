import Glibc
import Testing

@testable import Reactor

/// Handing sockets to a new process, for which a shell stands in.
@Suite struct SuccessorTests {
    private static func start(_ script: String, environment: [String] = []) throws -> Successor {
        let bound = try BoundListener(try #require(SocketAddress(literal: "127.0.0.1", port: 0)))
        let copies = [try ListenerCopy(bound, name: "public"), try ListenerCopy(bound, name: "a,b=c%")]
        return try Successor(
            arguments: ["/bin/sh", "-c", script, "sh"], environment: environment, listeners: copies)
    }

    @Test func theSuccessorHasTheSocketsAndSaysSo() throws {
        let successor = try Self.start(
            """
            case "$PORTCULLIS_LISTENERS" in public=*,a%2cb%3dc%25=*) ;; *) exit 3 ;; esac
            first=${PORTCULLIS_LISTENERS#public=} first=${first%%,*} second=${PORTCULLIS_LISTENERS##*=}
            test -S /proc/self/fd/$first && test -S /proc/self/fd/$second || exit 4
            test "$ADDED" = "by us" && test "$(env | grep -c ^HOME=)" -le 1 || exit 5
            kill -0 $$ && echo > /proc/self/fd/$PORTCULLIS_READY
            """, environment: ["ADDED=by us", "HOME=/"])
        let child = successor.processID
        #expect(child > 0)
        try successor.waitUntilReady(milliseconds: 10_000)
        _ = waitpid(child, nil, 0)
    }

    @Test func oneThatEndsIsReportedWithItsCode() throws {
        let successor = try Self.start("exit 7")
        let child = successor.processID
        do throws(SuccessorError) {
            try successor.waitUntilReady(milliseconds: 10_000)
            Issue.record("it is said to serve")
        } catch { #expect(error == .ended(code: 7)) }
        #expect(kill(child, 0) == -1, "it was reaped")
    }

    @Test func oneThatTakesTooLongIsEnded() throws {
        let successor = try Self.start("exec sleep 60")
        let child = successor.processID
        do throws(SuccessorError) {
            try successor.waitUntilReady(milliseconds: 50)
            Issue.record("it is said to serve")
        } catch { #expect(error == .late) }
        #expect(kill(child, 0) == -1, "it was ended and reaped")
    }

    @Test func whatCannotBeStartedIsAnError() throws {
        let file = "/tmp/reactor-successor-\(getpid())"
        let draft = try AtomicFile(of: file)
        try draft.write(Array("no program".utf8))
        try draft.hand(to: getuid(), group: getgid(), mode: 0o755)
        try draft.replace()
        // SAFETY: the text outlives the call.
        defer { _ = unsafe unlink(file) }
        // Another test that starts a program just now has the file open for writing in its child, until that is one.
        var failure = SuccessorError.notStarted(KernelError(ETXTBSY))
        while failure == .notStarted(KernelError(ETXTBSY)) {
            do throws(SuccessorError) {
                _ = try Successor(arguments: [file], listeners: [])
                Issue.record("started")
                return
            } catch { failure = error }
        }
        #expect(failure == .notStarted(KernelError(ENOEXEC)))
    }

    /// A name finds what stands under it now; without one, the program that runs is started again.
    @Test func theProgramIsFoundByItsName() throws {
        #expect(Successor.executable("/bin/sh") == "/bin/sh")
        #expect(Successor.executable("sh")?.hasSuffix("/sh") == true)
        let own = try #require(Successor.executable("/nowhere/portcullis"))
        #expect(own == Successor.executable("no-such-program-anywhere"))
        #expect(own.hasPrefix("/"))
        #expect(Successor.executable("/etc/passwd") == own)
        #expect(Successor.executable("/bin") == own)
    }
}

/// What a process finds that was started with sockets; each in a process of its own, whose environment may be changed.
@Suite struct InheritedDescriptorsTests {
    private static func set(_ name: String, _ value: String) {
        // SAFETY: both texts outlive the call.
        _ = unsafe setenv(name, value, 1)
    }

    private static func isSet(_ name: String) -> Bool {
        // SAFETY: the answer is only compared.
        unsafe getenv(name) != nil
    }

    /// A listening socket under a number of its own.
    private static func listening(as number: Int32? = nil) -> Int32 {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        precondition(listen(made, 5) == 0)
        guard let number, number != made else { return made }
        precondition(dup2(made, number) == number)
        _ = close(made)
        return number
    }

    @Test func socketsOfAPredecessorAreClaimedByName() async {
        await #expect(processExitsWith: .success) {
            let (first, second, other) = (Self.listening(), Self.listening(), Self.listening())
            var ends: [Int32] = [0, 0]
            // SAFETY: the array has room for both ends.
            precondition(unsafe pipe(&ends) == 0)
            let text = InheritedDescriptors.text([("a,b=%", first), ("x", other), ("a,b=%", second)])
            Self.set("PORTCULLIS_LISTENERS", text + ",bad,y=1,z=+5,x=\(first)")
            Self.set("PORTCULLIS_READY", "\(ends[1])")
            var inherited = InheritedDescriptors()
            precondition(!Self.isSet("PORTCULLIS_LISTENERS") && !Self.isSet("PORTCULLIS_READY"))
            precondition(inherited.names == ["a,b=%", "x", "a,b=%"])
            precondition(inherited.origin(of: "x") == .predecessor)
            precondition(inherited.hasPredecessor)
            for number in [first, second, other, ends[1]] { precondition(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
            guard let bound = try inherited.claim("a,b=%") else { fatalError("not there") }
            precondition(bound.address.port != 0 && bound.descriptor.number == first)
            guard let again = try inherited.claim("a,b=%") else { fatalError("not there") }
            precondition(again.descriptor.number == second)
            if (try inherited.claim("a,b=%")) != nil { fatalError("twice") }
            inherited.reportReady()
            inherited.reportReady()
            precondition(!inherited.hasPredecessor)
            var byte: [UInt8] = [0, 0]
            // SAFETY: the array has room for what is asked for.
            precondition(unsafe read(ends[0], &byte, 2) == 1 && byte[0] == 1)
            precondition(unsafe read(ends[0], &byte, 2) == 0)
            _ = consume inherited
            precondition(fcntl(other, F_GETFD) == -1, "what nobody claims is closed")
        }
    }

    /// sd_listen_fds(3)
    @Test func socketsOfSystemdAreClaimedByName() async {
        await #expect(processExitsWith: .success) {
            for number: Int32 in 503...505 { _ = Self.listening(as: number) }
            Self.set("LISTEN_PID", "\(getpid())")
            Self.set("LISTEN_FDS", "3")
            Self.set("LISTEN_FDNAMES", "web:admin")
            var inherited = InheritedDescriptors(systemdStart: 503)
            precondition(inherited.names == ["web", "admin", "unknown"])
            precondition(inherited.origin(of: "admin") == .systemd)
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { precondition(!Self.isSet(name)) }
            guard let bound = try inherited.claim("admin") else { fatalError("not there") }
            precondition(bound.descriptor.number == 504)
        }
    }

    @Test func socketsForAnotherProcessAreNotTouched() async {
        await #expect(processExitsWith: .success) {
            Self.set("LISTEN_PID", "1")
            Self.set("LISTEN_FDS", "3")
            let inherited = InheritedDescriptors()
            precondition(inherited.names.isEmpty)
            precondition(!Self.isSet("LISTEN_FDS"))
        }
    }
}

import Foundation
import Glibc
import Testing

/// nginx with a configuration of its own, on a socket that it inherits.
final class NginxProxy: Sendable {
    private static let path = "/usr/sbin/nginx"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let port: UInt16
    private let directory: ConfigurationDirectory
    private let program: Program

    /// - Parameters:
    ///   - servers: the block `http`; `LISTEN` stands for the address of the socket.
    ///   - socket: where it listens.
    init(_ servers: String, on socket: TCPSocket) throws {
        port = socket.port
        directory = try ConfigurationDirectory()
        let text = """
            daemon off;
            user root;
            worker_processes 1;
            pid nginx.pid;
            error_log stderr notice;
            events {}
            http {
                access_log off;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                \(servers.replacing("LISTEN", with: "127.0.0.1:\(port)"))
            }
            """
        try directory.write("nginx.conf", text)
        program = try Program(
            Self.path, ["-p", directory.path, "-c", "nginx.conf", "-e", "stderr"], environment: ["NGINX": "0;"],
            socket: socket)
        let started: Bool? = program.wait(.errors) { lines in
            if lines.contains(where: { $0.contains("[emerg]") }) { return false }
            return lines.contains { $0.contains("start worker process ") } ? true : nil
        }
        try #require(started == true, "\(program.lines(.errors))")
    }

    /// Its workers would outlive a master that is killed.
    deinit {
        program.signal(SIGTERM)
        _ = program.waitForEnd()
    }
}

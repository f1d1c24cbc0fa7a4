#if SAML
    import CXMLSec

    /// DEFLATE (RFC 1951), in gzip's wrapping (RFC 1952) or in none, as bindings section 3.4.4.1 wants it.
    enum Deflate {
        enum Wrapping {
            case gzip, none

            /// As zlib writes it: the window's size in bits, 16 more for gzip, negative for none.
            fileprivate var windowBits: Int32 {
                switch self {
                case .gzip: 31
                case .none: -15
                }
            }
        }

        enum Failure: Error {
            case malformed, tooLarge
        }

        /// The bytes of a whole stream with nothing behind it.
        /// - Parameter limit: bytes that come out at most; no more are ever made.
        static func inflate(_ packed: [UInt8], _ wrapping: Wrapping, limit: Int) throws(Failure) -> [UInt8] {
            // SAFETY: the stream is this call's own and is ended on leaving; input and output outlive the call that
            // reads and writes them, within the counts given.
            var stream = unsafe z_stream()
            var result = unsafe inflateInit2_(
                &stream, wrapping.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            guard result == Z_OK else { throw .malformed }
            defer { unsafe inflateEnd(&stream) }
            var input = packed
            var rest = 0
            // One byte more than may come tells a stream that ends at the limit from one that goes on.
            let text = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { output, count in
                unsafe input.withUnsafeMutableBufferPointer { source in
                    unsafe stream.next_in = source.baseAddress
                    unsafe stream.avail_in = UInt32(source.count)
                    unsafe stream.next_out = output.baseAddress
                    unsafe stream.avail_out = UInt32(limit + 1)
                    unsafe result = CXMLSec.inflate(&stream, Z_FINISH)
                }
                unsafe count = limit + 1 - Int(stream.avail_out)
                unsafe rest = Int(stream.avail_in)
            }
            guard text.count <= limit else { throw .tooLarge }
            guard result == Z_STREAM_END, rest == 0 else { throw .malformed }
            return text
        }

        static func deflate(_ text: [UInt8], _ wrapping: Wrapping) -> [UInt8] {
            // SAFETY: as above; the output has room for the longest result.
            var stream = unsafe z_stream()
            guard
                unsafe deflateInit2_(
                    &stream, Z_BEST_COMPRESSION, Z_DEFLATED, wrapping.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { fatalError("zlib is out of memory") }
            defer { unsafe deflateEnd(&stream) }
            var input = text
            let capacity = unsafe Int(deflateBound(&stream, UInt(text.count)))
            return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                unsafe input.withUnsafeMutableBufferPointer { source in
                    unsafe stream.next_in = source.baseAddress
                    unsafe stream.avail_in = UInt32(source.count)
                    unsafe stream.next_out = output.baseAddress
                    unsafe stream.avail_out = UInt32(capacity)
                    let result = unsafe CXMLSec.deflate(&stream, Z_FINISH)
                    guard result == Z_STREAM_END else { fatalError("zlib cannot write to memory") }
                }
                unsafe count = capacity - Int(stream.avail_out)
            }
        }
    }
#endif

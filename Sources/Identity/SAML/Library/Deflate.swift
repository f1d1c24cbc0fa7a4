#if SAML
    import CXMLSec

    /// DEFLATE (RFC 1951), wrapped in gzip (RFC 1952) or raw, as required by bindings section 3.4.4.1.
    enum Deflate {
        enum Wrapping {
            case gzip, none

            /// zlib's notation: window size in bits, plus 16 for gzip, negative for raw.
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

        /// Inflates a complete stream; trailing bytes are an error.
        /// - Parameter limit: maximum output in bytes; no more is ever produced.
        static func inflate(_ packed: [UInt8], _ wrapping: Wrapping, limit: Int) throws(Failure) -> [UInt8] {
            // SAFETY: the stream is local and ended on leaving; input and output outlive the call, within the given
            // counts.
            var stream = unsafe z_stream()
            var result = unsafe inflateInit2_(
                &stream, wrapping.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            guard result == Z_OK else { throw .malformed }
            defer { unsafe inflateEnd(&stream) }
            var input = packed
            var rest = 0
            // One extra byte distinguishes a stream that ends at the limit from one that continues.
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

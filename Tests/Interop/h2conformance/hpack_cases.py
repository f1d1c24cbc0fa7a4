"""Field compression: representations that a server must read, and those that it must refuse (RFC 7541)."""
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH
from hyperframe import frame as frames

from .client import COMPRESSION_ERROR, Cases

CASES = Cases()
ENCODER = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH)


def huffman(prefix, text):
    """A literal whose value is in Huffman's code."""
    coded = ENCODER.encode(text)
    return prefix + bytes([0x80 | len(coded)]) + coded


case = CASES.case

# GET, http, /open/x, localhost: indexed where the static table has it, else literal without indexing.
METHOD, SCHEME = b"\x82", b"\x86"
PATH = b"\x04\x07/open/x"
AUTHORITY = b"\x01\x09localhost"
REQUEST = METHOD + SCHEME + PATH + AUTHORITY


def good(section, title, *blocks):
    def run(client):
        for number, block in enumerate(blocks):
            client.send(client.headers(1 + 2 * number, block=block))
            client.expect_status(1 + 2 * number)
    case("HPACK " + section, title)(run)


def bad(section, title, block):
    def run(client):
        client.send(client.headers(block=block))
        client.expect_connection_error(COMPRESSION_ERROR)
    case("HPACK " + section, title)(run)


good("6.1", "indexed fields", REQUEST)
good("6.2.1", "a literal with incremental indexing and an indexed name, then its index",
     METHOD + SCHEME + b"\x44\x07/open/x" + AUTHORITY, METHOD + SCHEME + b"\xbe" + AUTHORITY)
good("6.2.1", "a literal with incremental indexing and a new name, then its index",
     REQUEST + b"\x40\x06x-test\x01a", REQUEST + b"\xbe")
good("6.2.2", "a literal without indexing and an indexed name", REQUEST + b"\x0f\x04\x01a")
good("6.2.2", "a literal without indexing and a new name", REQUEST + b"\x00\x06x-test\x01a")
good("6.2.3", "a literal that is never indexed and an indexed name", REQUEST + b"\x1f\x04\x01a")
good("6.2.3", "a literal that is never indexed and a new name", REQUEST + b"\x10\x06x-test\x01a")
good("6.3", "a change of the table's size", b"\x3f\x61" + REQUEST)
good("6.3", "two changes of the table's size", b"\x20\x3f\x61" + REQUEST)
good("5.2", "text in Huffman's code", METHOD + SCHEME + PATH + huffman(b"\x01", b"localhost"))
good("4.4", "an entry larger than the table empties it",
     b"\x3f\x01" + METHOD + SCHEME + PATH + AUTHORITY + b"\x40\x06x-test\x28" + b"a" * 40, REQUEST)

bad("2.3.3", "an index beyond both tables", REQUEST + b"\xfe")
bad("2.3.3", "an index of a name beyond both tables", REQUEST + b"\x7e\x01a")
bad("4.2", "a change of the table's size behind a field", REQUEST + b"\x3f\x61")
bad("5.1", "a number without end", REQUEST + b"\xff" + b"\x80" * 20)
bad("5.1", "a number over 32 bits", REQUEST + b"\xff\xff\xff\xff\xff\x7f")
bad("5.2", "Huffman's code with more than seven bits of padding", REQUEST + b"\x00\x06x-test\x82\x1f\xff")
bad("5.2", "Huffman's code with padding of zeros", REQUEST + b"\x00\x06x-test\x81\x18")
bad("5.2", "Huffman's code with the end symbol in it", REQUEST + b"\x00\x06x-test\x84\xff\xff\xff\xff")
bad("5.2", "text longer than the block", REQUEST + b"\x00\x06x-test\x7ea")
bad("6.1", "index 0", REQUEST + b"\x80")
bad("6.3", "a table larger than the setting allows", b"\x3f\xe1\xff\x03" + REQUEST)
bad("6.2", "a block that ends within a field", REQUEST + b"\x40\x06x-te")


@case("HPACK 4.1", "the table is one for all streams, in the order of the blocks")
def shared_table(client):
    client.send(
        client.headers(1, block=REQUEST + b"\x40\x06x-test\x01a"), client.headers(3, block=REQUEST + b"\xbe"),
        frames.RstStreamFrame(1, 8))
    client.expect_status(3)
    client.send(client.headers(5, block=REQUEST + b"\xbe"))
    client.expect_status(5)


@case("HPACK 4.2", "blocks of streams that are refused change the table too")
def refused_block(client):
    client.send(client.headers(1, block=REQUEST + b"\x40\x06X-TEST\x01a"), client.headers(3, block=REQUEST))
    client.expect_status(3)
    client.send(client.headers(5, block=REQUEST + b"\x40\x06x-test\x01a"), client.headers(7, block=REQUEST + b"\xbf" + b"\xbe"))
    client.expect_stream_error(7, 1, answered=True)

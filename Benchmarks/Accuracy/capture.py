"""Reads a capture (tcpdump or packets.py) of an HTTP/2 connection over TLS 1.3: when the packet left that carried each stream's request, and
when the one came that completed its answer's HEADERS. The traffic keys come from the collector (SSLKEYLOGFILE, which
libcurl honors), so streams are told apart by their numbers and nothing is guessed."""

import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

SUITES = {0x1301: (AESGCM, 16, hashes.SHA256), 0x1302: (AESGCM, 32, hashes.SHA384), 0x1303: (ChaCha20Poly1305, 32, hashes.SHA256)}


def segments(path, port):
    """By client port: ([(ns, sequence number, payload)] from the client, the same from the server)."""
    found = {}
    with open(path, "rb") as file:
        header = file.read(24)
        scale = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}[struct.unpack("<I", header[:4])[0]]
        skip = {1: 14, 113: 16, 276: 20}[struct.unpack("<I", header[20:24])[0]]
        while head := file.read(16):
            seconds, fraction, length, _ = struct.unpack("<IIII", head)
            data = file.read(length)[skip:]
            if data[0] >> 4 != 4 or data[9] != 6:
                continue
            size = struct.unpack(">H", data[2:4])[0]
            tcp = data[(data[0] & 15) * 4:size]
            source, target, number = struct.unpack(">HHI", tcp[:8])
            payload = tcp[(tcp[12] >> 4) * 4:]
            if payload and port in (source, target):
                both = found.setdefault(source if target == port else target, ([], []))
                both[source == port].append((seconds * 10**9 + fraction * scale, number, payload))
    return found


def records(parts):
    """TLS records in order: (kind, header, body, ns of the first byte's packet, ns of the last byte's)."""
    stream, marks, seen = bytearray(), [], set()
    for at, number, payload in parts:
        if number in seen:
            continue
        seen.add(number)
        marks.append((len(stream), at))
        stream += payload

    def at(place, low=[0]):
        while low[0] + 1 < len(marks) and marks[low[0] + 1][0] <= place:
            low[0] += 1
        index = low[0]
        while marks[index][0] > place:
            index -= 1
        return marks[index][1]

    place = 0
    while place + 5 <= len(stream):
        length = struct.unpack(">H", stream[place + 3:place + 5])[0]
        end = place + 5 + length
        if end > len(stream):
            break
        yield stream[place], bytes(stream[place:place + 5]), bytes(stream[place + 5:end]), at(place), at(end - 1)
        place = end


def expand(secret, label, length, hash):
    label = b"tls13 " + label
    info = struct.pack(">HB", length, len(label)) + label + b"\0"
    return HKDFExpand(algorithm=hash(), length=length, info=info).derive(secret)


def plaintext(parts, secret, suite):
    """[(bytes of application data, ns first, ns last)]; the handshake's own records do not decrypt and are left out."""
    cipher, size, hash = SUITES[suite]
    key, iv = cipher(expand(secret, b"key", size, hash)), expand(secret, b"iv", 12, hash)
    number = 0
    for kind, header, body, first, last in records(parts):
        if kind != 23:
            continue
        nonce = (int.from_bytes(iv, "big") ^ number).to_bytes(12, "big")
        try:
            text = key.decrypt(nonce, body, header).rstrip(b"\0")
        except InvalidTag:
            continue
        number += 1
        if text[-1] == 23:
            yield text[:-1], first, last


def headers(parts, secret, suite, is_client):
    """Stream → ns: of the packet in which its HEADERS begin (client), of the one that completes them (server)."""
    stream, marks, found = bytearray(), [], {}
    for text, first, last in plaintext(parts, secret, suite):
        marks.append((len(stream), first, last))
        stream += text
    place, index = 24 if is_client else 0, 0
    while place + 9 <= len(stream):
        length, kind = int.from_bytes(stream[place:place + 3], "big"), stream[place + 3]
        number = int.from_bytes(stream[place + 5:place + 9], "big") & 0x7FFFFFFF
        end = place + 9 + length
        if kind == 1 and number not in found and end <= len(stream):
            wanted = place if is_client else end - 1
            while index + 1 < len(marks) and marks[index + 1][0] <= wanted:
                index += 1
            found[number] = marks[index][1] if is_client else marks[index][2]
        place = end
    return found


def exchanges(capture, keylog, port):
    """For each connection in the order in which they began: {stream: (ns of the request, ns of the answer)}."""
    secrets = {}
    for line in open(keylog):
        words = line.split()
        if len(words) == 3:
            secrets[words[0], words[1]] = bytes.fromhex(words[2])
    result = []
    for client, server in sorted(segments(capture, port).values(), key=lambda both: both[0][0][0] if both[0] else 0):
        hellos = [next(records(parts), None) for parts in (client, server)]
        if None in hellos:
            continue
        random = hellos[0][2][6:38].hex()
        # After the version, the random and the session's echo comes the cipher suite.
        body = hellos[1][2]
        suite = struct.unpack(">H", body[39 + body[38]:41 + body[38]])[0]
        keys = [secrets.get((f"{side}_TRAFFIC_SECRET_0", random)) for side in ("CLIENT", "SERVER")]
        if None in keys:
            continue
        requests = headers(client, keys[0], suite, True)
        answers = headers(server, keys[1], suite, False)
        result.append({number: (requests[number], answers[number]) for number in requests if number in answers})
    return result

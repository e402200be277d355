#!/usr/bin/env python3
"""Speaks TLS and nothing else, for tests that send what no HTTP client would.

usage: tls_client.py PORT CA_FILE ALPN [SECONDS] < BYTES        ALPN: h2, http/1.1, none, or plain for no TLS at all

Sends its standard input, then reads until the server closes or SECONDS (default 10) have passed without a byte; what
came goes to standard output. Exit status 0 when the server closed, 3 when it did not.
"""

import socket
import ssl
import sys


def main():
    port, authority, protocol = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    patience = float(sys.argv[4]) if len(sys.argv) > 4 else 10
    connection = socket.create_connection(("127.0.0.1", port), timeout=patience)
    if protocol != "plain":
        context = ssl.create_default_context(cafile=authority)
        if protocol != "none":
            context.set_alpn_protocols([protocol])
        connection = context.wrap_socket(connection, server_hostname="127.0.0.1")
    data = sys.stdin.buffer.read()
    try:
        if data:
            connection.sendall(data)
        while True:
            received = connection.recv(65536)
            if not received:
                break
            sys.stdout.buffer.write(received)
            sys.stdout.buffer.flush()
    except TimeoutError:
        sys.exit(3)
    except (ssl.SSLError, OSError) as error:
        print(error, file=sys.stderr)


main()

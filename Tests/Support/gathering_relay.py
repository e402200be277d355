"""A TCP relay that hands on what a server says after its first flight in one piece.

    gathering_relay.py PORT SERVER_PORT

As on a busy host: session tickets, SETTINGS and the first answer have all arrived before the client looks. Bytes are gathered until the
server has said nothing for a second (a busier host may fall short of that); "gathered N" is printed for the first piece of each connection.
"""
import select
import socket
import sys
import threading

QUIET = 1.0


def receive(source):
    try:
        return source.recv(65536)
    except OSError:
        return b""


def hand_on(source, sink):
    """Client to server, as it comes."""
    while data := receive(source):
        sink.sendall(data)
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def relay(client, port):
    server = socket.create_connection(("127.0.0.1", port))
    for side in (client, server):
        side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=hand_on, args=(client, server), daemon=True).start()
    # The server's part of the handshake.
    client.sendall(receive(server))
    gathered = receive(server)
    while select.select([server], [], [], QUIET)[0] and (more := receive(server)):
        gathered += more
    print(f"gathered {len(gathered)}", flush=True)
    try:
        client.sendall(gathered)
        while data := receive(server):
            client.sendall(data)
    except OSError:
        pass
    client.close()


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=relay, args=(connection, int(sys.argv[2])), daemon=True).start()

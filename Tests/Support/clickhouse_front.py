"""The HTTP interface of ClickHouse, as far as pushscope uses it, in front of chdb, the same engine in process.

    clickhouse_front.py FOLDER PORT [--user NAME:PASSWORD]… [--faults SEED] [--certificate FILE --key FILE]

Statements run one at a time. An insert is answered with 200 only after the engine has the rows; a body that ends too early, or is not
what its format says, is not inserted at all. What the engine refuses is answered with its exception and X-ClickHouse-Exception-Code.

--faults: about one request in four goes wrong, before the engine sees it, in the middle of its body, while the engine writes the rows,
as if its disk was full, or after the engine has done it.
"""
import argparse
import contextlib
import gzip
import os
import random
import re
import resource
import socket
import ssl
import struct
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import chdb
from chdb import session

INSERT = re.compile(r"^\s*INSERT\s+INTO\s+(\S+)\s*\(([^)]*)\)\s*FORMAT\s+(\w+)\s*$", re.IGNORECASE)
# Settings of statements that are passed on; others are of the HTTP interface.
PASSED = ["async_insert", "insert_distributed_sync", "insert_deduplication_token"]


class EngineError(Exception):
    """An exception of the engine, with its code."""

    def __init__(self, text):
        super().__init__(text)
        found = re.search(r"Code: (\d+)", text)
        self.code = int(found.group(1)) if found else 1000


class StandardErrorFile:
    """What is written to the descriptor 2 meanwhile, by whatever library."""

    def __enter__(self):
        sys.stderr.flush()
        self.file = tempfile.TemporaryFile()
        self.former = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def text(self):
        self.file.seek(0)
        return self.file.read().decode(errors="replace").strip()

    def __exit__(self, *_):
        os.dup2(self.former, 2)
        os.close(self.former)
        self.file.close()


class FullDisk:
    """Files cannot grow meanwhile: what the engine writes fails in the middle, as on a disk that has no space left."""

    # The engine says what failed in a file, too.
    MOST = 1024
    # Newer versions take such a write for a whole one, so that they are not put to it: the answer is all that is tried.
    IS_NOTICED = chdb.__version__.startswith("1.")

    def __enter__(self):
        self.former, self.hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.MOST, self.hard))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.former, self.hard))


class Engine:
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.session = session.Session(folder)
        self.lock = threading.Lock()
        self.types = {}

    def query(self, statement, form="TabSeparated"):
        with StandardErrorFile() as said:
            try:
                result = self.session.query(statement, form)
            except Exception as error:  # newer versions raise
                raise EngineError(str(error)) from error
            # Older ones only say it.
            message = said.text()
        if re.search(r"DB::\w*Exception", message):
            raise EngineError(message)
        data = result.bytes()
        return data if isinstance(data, bytes) else (data or "").encode()

    def insert(self, table, columns, form, body, settings, is_full):
        known = self.types.get(table)
        if known is None:
            rows = self.query(f"DESCRIBE TABLE {table} FORMAT TabSeparatedRaw").decode().splitlines()
            known = self.types[table] = dict(row.split("\t")[:2] for row in rows)
        names = [name.strip() for name in columns.split(",")]
        structure = ", ".join(f"{name} {known[name]}" for name in names).replace("\\", "\\\\").replace("'", "\\'")
        # Without a name: tests kill this program, and nothing stays behind.
        with tempfile.TemporaryFile() as file:
            file.write(body)
            file.flush()
            chosen = ", ".join(f"{name} = '{value}'" for name, value in settings.items() if name in PASSED)
            with FullDisk() if is_full else contextlib.nullcontext():
                self.query(
                    f"INSERT INTO {table} ({columns}) SELECT * FROM file('/proc/self/fd/{file.fileno()}', '{form}', '{structure}')"
                    + (f" SETTINGS {chosen}" if chosen else "")
                )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        server = self.server
        fault = server.fault()
        if fault == "refuse":
            return self.hang_up()
        length = int(self.headers.get("Content-Length", 0))
        if fault == "cut":
            self.rfile.read(length // 2)
            return self.hang_up()
        if fault == "full" and not FullDisk.IS_NOTICED:
            self.rfile.read(length)
            return self.answer(500, b"Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space.\n", 243)
        if fault == "busy":
            self.rfile.read(length)
            return self.answer(503, b"Code: 202. DB::Exception: Too many simultaneous queries.\n", 202)
        body = self.rfile.read(length)
        if len(body) < length:
            return self.hang_up()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            result = self.run(body, fault == "full")
        except EngineError as error:
            status = 404 if error.code in (60, 81) else 403 if error.code in (516, 497) else 500
            return self.answer(status, str(error).encode(), error.code)
        if fault == "lose":
            return self.hang_up()
        self.answer(200, result)

    def run(self, body, is_full):
        server = self.server
        name = self.headers.get("X-ClickHouse-User", "default")
        if server.users and server.users.get(name) != self.headers.get("X-ClickHouse-Key", ""):
            raise EngineError(f"Code: 516. DB::Exception: {name}: Authentication failed. (AUTHENTICATION_FAILED)")
        parameters = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        query = parameters.get("query")
        with server.engine.lock:
            if query is None:
                form = "TabSeparated" if parameters.get("default_format", "TSV") == "TSV" else parameters["default_format"]
                return server.engine.query(body.decode(), form)
            found = INSERT.match(query)
            if not found:
                return server.engine.query(query + "\n" + body.decode())
            server.engine.insert(*found.groups(), body, parameters, is_full)
            return b""

    def answer(self, status, body, exception=None):
        self.send_response(status)
        self.send_header("Content-Type", "text/tab-separated-values; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        if exception is not None:
            self.send_header("X-ClickHouse-Exception-Code", str(exception))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        """Resets the connection."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, port, engine, users, seed):
        super().__init__(("127.0.0.1", port), Handler)
        self.engine = engine
        self.users = users
        self.random = random.Random(seed) if seed is not None else None

    def fault(self):
        if self.random is None or self.random.random() > 0.25:
            return None
        return self.random.choice(["refuse", "cut", "busy", "full", "lose", "lose"])

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, BrokenPipeError)):
            super().handle_error(request, address)


parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("port", type=int)
parser.add_argument("--user", action="append", default=[])
parser.add_argument("--faults", type=int)
parser.add_argument("--certificate")
parser.add_argument("--key")
options = parser.parse_args()
# The engine would take what it finds there for rows, and wait for them.
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
front = Server(options.port, Engine(options.folder), dict(user.split(":", 1) for user in options.user), options.faults)
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    front.socket = context.wrap_socket(front.socket, server_side=True)
print(f"listening on {front.server_address[1]}", flush=True)
front.serve_forever()

"""A server of S3's protocol on a free port for the tests, and a proxy that meddles with it."""

import logging
import os
import socket
import threading
from contextlib import suppress
from functools import cache

import pytest

__all__ = ["BUCKET", "SECRETS", "Proxy", "forget_connections", "s3"]

BUCKET = "tests"
SECRETS = {"AWS_ACCESS_KEY_ID": "AKIAKNOWNTOTESTS", "AWS_SECRET_ACCESS_KEY": "hidden/by+tests"}


@cache
def s3():
    """Return the port of the server, which drivers find by the environment."""
    pytest.importorskip("s3fs", reason="s3fs is the driver of s3://")
    moto = pytest.importorskip("moto.server", reason="moto has a server of S3's protocol")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()  # in a thread that ends with the process
    port = server.get_host_and_port()[1]
    nowhere = os.devnull
    os.environ |= SECRETS | {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
    }
    import s3fs

    s3fs.S3FileSystem().mkdir(BUCKET)
    return port


_ENVIRONMENT = {}
"""What the environment said when connections were last forgotten."""


def forget_connections():
    """Let drivers read the environment again if it has changed: a connection takes them long."""
    import s3fs

    now = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    if now != _ENVIRONMENT:
        s3fs.S3FileSystem.clear_instance_cache()
        _ENVIRONMENT.clear()
        _ENVIRONMENT.update(now)


class Proxy:
    """Stands before the server; cuts answers, or holds a request back.

    Parameters
    ----------
    port : int
        The port of the server.
    cuts : int
        How many answers break off.
    hold : bytes
        A file of which this is the name does not arrive whole; `held` says that it began to.
    """

    CUT_AFTER = 20_000

    def __init__(self, port, cuts=0, hold=None):
        self._server, self.cuts, self._hold = port, cuts, hold
        self.held = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self):
        self._listening.close()

    def _listen(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed
                return
            server = socket.create_connection(("127.0.0.1", self._server))
            for pump in (self._requests, self._answers):
                threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _requests(self, client, server):
        with server:
            while data := _received(client):
                line = data.partition(b"\r\n")[0]
                if self._hold is not None and line.startswith(b"PUT ") and self._hold in line:
                    server.sendall(data[:-1])
                    self.held.set()
                    _received(client)  # until the other side is gone
                    return
                server.sendall(data)

    def _answers(self, client, server):
        n_bytes = 0
        with client:
            while data := _received(server):
                n_bytes += len(data)
                if n_bytes > self.CUT_AFTER and self.cuts > 0:
                    self.cuts -= 1
                    break
                try:
                    client.sendall(data)
                except OSError:
                    break
            for end in (client, server):  # the other thread waits for them
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def _received(end):
    try:
        return end.recv(1 << 14)
    except OSError:
        return b""

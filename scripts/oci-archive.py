#!/usr/bin/env python3
"""Writes a container image as an OCI archive: https://github.com/opencontainers/image-spec, image-layout.md.

    scripts/oci-archive.py --version V --architecture A --revision R ARCHIVE DIRECTORY...

Each directory becomes a layer. The same content and SOURCE_DATE_EPOCH give the same bytes.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import tarfile
import time

DATA = "var/lib/pushscope"
# The owner of the data directory, and its group: that of every user id that an engine knows nothing of (`--user 12345`).
USER, GROUP = 65532, 0
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def entry(name, mode, kind):
    """An entry of no date, so that a layer that did not change is the same in the next version."""
    found = tarfile.TarInfo(name)
    found.mode, found.type, found.mtime = mode, kind, 0
    return found


def write_layer(root, with_data):
    """The uncompressed tar of a directory, everything in it root's."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as layer:
        for folder, folders, files in os.walk(root):
            folders.sort()
            for name in sorted(files + [name for name in folders if os.path.islink(os.path.join(folder, name))]):
                path = os.path.join(folder, name)
                add(layer, path, os.path.relpath(path, root))
            for name in folders:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    add(layer, path, os.path.relpath(path, root))
        if with_data:
            data = entry(DATA, 0o770, tarfile.DIRTYPE)
            data.uid, data.gid = USER, GROUP
            layer.addfile(data)
            layer.addfile(entry("tmp", 0o1777, tarfile.DIRTYPE))
    return buffer.getvalue()


def add(layer, path, name):
    if os.path.islink(path):
        link = entry(name, 0o777, tarfile.SYMTYPE)
        link.linkname = os.readlink(path)
        layer.addfile(link)
    elif os.path.isdir(path):
        layer.addfile(entry(name, 0o755, tarfile.DIRTYPE))
    else:
        file = entry(name, os.stat(path).st_mode & 0o755, tarfile.REGTYPE)
        file.size = os.path.getsize(path)
        with open(path, "rb") as content:
            layer.addfile(file, content)


class Layout:
    """The files of an image layout: blobs by their digests, and the index; and the list that docker before version 25 reads."""

    def __init__(self):
        self.blobs = {}

    def put(self, content, kind):
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def put_json(self, value, kind):
        return self.put(json.dumps(value, sort_keys=True).encode(), kind)

    def write(self, path, manifest, name, parts):
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}
        files = {f"blobs/sha256/{digest}": content for digest, content in self.blobs.items()}
        files["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
        files["index.json"] = json.dumps(index, sort_keys=True).encode()
        places = [f"blobs/sha256/{part['digest'].removeprefix('sha256:')}" for part in parts]
        files["manifest.json"] = json.dumps([{"Config": places[0], "RepoTags": [name], "Layers": places[1:]}]).encode()
        partial = path + ".partial"
        with tarfile.open(partial, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for folder in ("blobs", "blobs/sha256"):
                archive.addfile(entry(folder, 0o755, tarfile.DIRTYPE))
            for name, content in sorted(files.items()):
                file = entry(name, 0o644, tarfile.REGTYPE)
                file.size = len(content)
                archive.addfile(file, io.BytesIO(content))
        os.replace(partial, path)


def configuration(arguments, created, layers):
    return {
        "created": created,
        "architecture": arguments.architecture,
        "os": "linux",
        "config": {
            "User": f"{USER}:{GROUP}",
            "Entrypoint": ["/usr/bin/pushscope"],
            "Cmd": ["collect", "--config", "/etc/pushscope/pushscope.yaml", "--store", f"/{DATA}/pushscope.sqlite"],
            # What any command takes by default is what the collector has. All of it but the volume may be read-only: temporary files
            # of SQLite and of the demonstration are in the volume, too.
            "Env": [
                "PATH=/usr/bin",
                "LANG=C.UTF-8",
                f"XDG_DATA_HOME=/{os.path.dirname(DATA)}",
                f"HOME=/{DATA}",
                f"TMPDIR=/{DATA}",
            ],
            "WorkingDir": f"/{DATA}",
            "Volumes": {f"/{DATA}": {}},
            "StopSignal": "SIGTERM",
            "Labels": labels(arguments, created),
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
        "history": [{"created": created, "created_by": f"scripts/image: {name}"} for name in ("libraries", "pushscope")],
    }


def labels(arguments, created):
    prefix = "org.opencontainers.image."
    return {
        prefix + "title": "pushscope",
        prefix + "description": "measures how long push notifications take",
        prefix + "version": arguments.version,
        prefix + "revision": arguments.revision,
        prefix + "licenses": "Apache-2.0",
        prefix + "created": created,
    }


def main():
    parser = argparse.ArgumentParser()
    for name in ("--version", "--architecture", "--revision"):
        parser.add_argument(name, required=True)
    parser.add_argument("archive")
    parser.add_argument("directories", nargs=2, metavar="DIRECTORY")
    arguments = parser.parse_args()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    layers = [write_layer(root, number == 0) for number, root in enumerate(arguments.directories)]
    layout = Layout()
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.put_json(configuration(arguments, created, layers), "config.v1+json"),
        "layers": [layout.put(gzip.compress(layer, 6, mtime=0), "layer.v1.tar+gzip") for layer in layers],
        "annotations": labels(arguments, created),
    }
    described = layout.put_json(manifest, "manifest.v1+json")
    name = f"localhost/pushscope:{arguments.version}"
    described["annotations"] = {
        "org.opencontainers.image.ref.name": arguments.version,
        # What `podman load` and `docker load` name it.
        "io.containerd.image.name": name,
    }
    described["platform"] = {"architecture": arguments.architecture, "os": "linux"}
    layout.write(arguments.archive, described, name, [manifest["config"], *manifest["layers"]])


main()

#!/usr/bin/env python3
"""A client of the motion photo API in Python: standard library only, Python 3.8 or newer.

    media_client.py URL VIDEO START END PHOTO

Makes a motion photo of a part of a video, in seconds, with a cover from its middle, and a thumbnail of that beside it. The token, if
there is one, is in MEDIA_SERVICE_TOKEN.
"""
import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path


class Refused(Exception):
    """A request was refused; `code` is stable, the text is for people."""

    def __init__(self, status, code, text):
        super().__init__(text)
        self.status = status
        self.code = code


class MediaClient:
    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        self.token = token

    def send(self, path, file=None, **fields):
        """Posts a form, and returns the bytes of the answer. The file is read into memory."""
        boundary = uuid.uuid4().hex
        part = "--%s\r\nContent-Disposition: form-data; name=\"%s\"" % (boundary, "%s")
        body = b"".join(("%s\r\n\r\n%s\r\n" % (part % name, value)).encode() for name, value in fields.items())
        if file is not None:
            name = Path(file).name.replace('"', "%22")
            body += ("%s; filename=\"%s\"\r\n\r\n" % (part % "file", name)).encode() + Path(file).read_bytes() + b"\r\n"
        body += ("--%s--\r\n" % boundary).encode()
        request = urllib.request.Request(self.url + path, body, method="POST")
        request.add_header("Content-Type", "multipart/form-data; boundary=" + boundary)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with urllib.request.urlopen(request, timeout=600) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            refusal = json.load(error)
            raise Refused(error.code, refusal["code"], refusal["detail"]) from None

    def prepare(self, video):
        return json.loads(self.send("/prepare", video))

    def convert(self, session, start, end, cover, speed=1):
        times = {"range_start": start, "range_end": end, "cover_time": cover, "speed": speed}
        return self.send("/convert", session_id=session, **times)

    def thumbnail(self, session, time, width):
        return self.send("/thumbnail", session_id=session, timestamp=time, width=width)

    def inspect(self, photo):
        return json.loads(self.send("/inspect", photo))

    def cleanup(self, session):
        self.send("/cleanup", session_id=session)


def main():
    url, video, start, end, photo = sys.argv[1:6]
    client = MediaClient(url, os.environ.get("MEDIA_SERVICE_TOKEN"))
    cover = (float(start) + float(end)) / 2
    try:
        session = client.prepare(video)["session_id"]
        try:
            Path(photo).write_bytes(client.convert(session, start, end, cover))
            Path(photo + ".thumbnail.jpg").write_bytes(client.thumbnail(session, cover, 160))
        finally:
            client.cleanup(session)
        galleries = client.inspect(photo)["galleries"]
    except Refused as refusal:
        print("refused", refusal.code, refusal)
        return 2
    print("made", photo, "for", *(each["gallery"] for each in galleries if each["recognised"] == "yes"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

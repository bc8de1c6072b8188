#!/usr/bin/env python3
"""A client of the room service, for launchers in Python: standard library only, Python 3.8 or newer.

    room_client.py URL host NAME GAME_PORT
    room_client.py URL join NAME CODE

Prints the room code, or the address for the game, and then each change; Enter stops the room. The token, if there is one,
is in ROOM_API_TOKEN. What the codes mean is in docs/room-codes.md.
"""
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

CONTRACT = 1


class Refused(Exception):
    """A request was refused; `code` is stable, the text is for people."""

    def __init__(self, status, code, text):
        super().__init__(text)
        self.status = status
        self.code = code


class RoomClient:
    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        self.token = token

    def call(self, method, path, order=None):
        body = None if order is None else json.dumps(order).encode()
        request = urllib.request.Request(self.url + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            refusal = json.load(error)
            raise Refused(error.code, refusal["code"], refusal["error"]) from None

    def check(self):
        """Whether the service speaks a contract that this client knows."""
        meta = self.call("GET", "/meta")
        if int(meta["contractVersion"].split(".")[0]) != CONTRACT:
            raise SystemExit("The room service is too new for this launcher: update it.")

    def host(self, name, game_port, approval=False):
        order = {"playerName": name, "gamePort": game_port, "approval": approval}
        self.call("POST", "/room/host/start", order)

    def join(self, name, code):
        self.call("POST", "/room/guest/start", {"playerName": name, "roomCode": code})

    def status(self):
        return self.call("GET", "/room/status")

    def state(self):
        return self.call("GET", "/state")

    def stop(self):
        self.call("POST", "/room/stop")


def follow(client, done):
    """Prints what changes; returns the exit code when the room fails, or `done` is set."""
    told = None
    while not done.is_set():
        state, status = client.state(), client.status()
        now = (state["state"], state["url"], status["hint"], len(status["players"]))
        if now != told:
            told = now
            if state["state"] == "exception":
                print("failed", status["errorCode"], status["error"], status["hint"], flush=True)
                return 1
            if state["state"] == "host-ok":
                print("open", state["room"], "players", len(status["players"]), flush=True)
            elif state["state"] == "guest-ok":
                print("joined", state["url"], "players", len(status["players"]), flush=True)
            else:
                print("waiting", status["state"], status["hint"] or "", flush=True)
        time.sleep(0.2)
    return 0


def main():
    url, role, name, what = sys.argv[1:5]
    client = RoomClient(url, os.environ.get("ROOM_API_TOKEN"))
    client.check()
    try:
        client.host(name, int(what)) if role == "host" else client.join(name, what)
    except Refused as refusal:
        print("refused", refusal.code, refusal, flush=True)
        return 2
    done = threading.Event()

    def wait_for_enter():
        sys.stdin.readline()
        done.set()

    threading.Thread(target=wait_for_enter, daemon=True).start()
    try:
        return follow(client, done)
    finally:
        client.stop()


if __name__ == "__main__":
    sys.exit(main())

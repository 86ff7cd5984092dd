# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium (tools/setup --browser), spoken to through its debugging pipe: commands and answers are JSON,
each with a zero byte behind it."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe"]
SLOWEST = 30


def find():
    return shutil.which("chromium")


def high_pipe():
    """Neither end is 3 or 4, where Chromium wants its own."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return moved


class Browser:
    """One page of one browser."""

    def __init__(self, width=1400, height=900):
        self.data = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.pipe_in = high_pipe()
        self.pipe_out, theirs_out = high_pipe()
        # Chromium reads commands at 3 and answers at 4.
        redirect = 'exec "$0" "$@" 3<&%d 4>&%d' % (theirs_in, theirs_out)
        command = ["bash", "-c", redirect, find(), *FLAGS, f"--user-data-dir={self.data.name}",
                   f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.received, self.number, self.session = b"", 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.pipe_in)
        os.close(self.pipe_out)
        self.data.cleanup()

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.pipe_in, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.received:
            if not select.select([self.pipe_out], [], [], SLOWEST)[0]:
                raise TimeoutError(f"the browser says nothing for {SLOWEST} s")
            more = os.read(self.pipe_out, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self.received += more
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def run(self, script):
        """The value of a script in the page."""
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"]["exception"].get("description", "a script failed"))
        return done["result"].get("value")

    def wait_for(self, script):
        end = time.monotonic() + SLOWEST
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)
        return value

    def open(self, path, theme="light"):
        """Opens a page; the milliseconds until its graph could be used, as the page has measured them."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.send("Page.navigate", url=path.resolve().as_uri())
        return int(self.wait_for("document.documentElement?.dataset.ready"))

    def click(self, selector):
        """Clicks with the mouse in the middle of the first element that a selector finds."""
        x, y = self.run(f"""(() => {{
          const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
          return [box.left + box.width / 2, box.top + Math.min(box.height / 2, 12)]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self):
        """What is on the screen, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the picture of a page of `cameo explain --html`: page_picture.py PAGE.html OUT.png [--theme dark] [--size 1400x900]
[--click SELECTOR]. docs/explain.png is that of tests/models/pad_topk.py: --size 1200x780 --click '#world .crossing'."""
import argparse
from pathlib import Path

from browser import Browser


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--theme", default="light")
    parser.add_argument("--size", default="1400x900")
    parser.add_argument("--click", action="append", default=[])
    arguments = parser.parse_args()
    browser = Browser(*map(int, arguments.size.split("x")))
    try:
        print(f"{browser.open(arguments.page, arguments.theme)} ms")
        for selector in arguments.click:
            browser.click(selector)
        arguments.out.write_bytes(browser.picture())
    finally:
        browser.close()


if __name__ == "__main__":
    main()

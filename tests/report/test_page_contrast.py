"""Every text of the page against what is behind it, computed in a real browser: WCAG AA, in light and in dark."""

import pytest

from tests.report.devtools import browser
from tests.report.samples import binary, many_classes, regression
from venire.report.page import two_runs
from venire.report.page.html import write

# Of each text that is seen: its colour over all backgrounds behind it. Marks of charts have other marks behind them.
FAINT = """(() => {
  const ink = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    ink.clearRect(0, 0, 1, 1); ink.fillStyle = colour; ink.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
  const linear = (one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const behind = (element) => {
    let found = [255, 255, 255];
    const chain = [];
    for (let one = element; one; one = one.parentElement) chain.unshift(one);
    for (const one of chain) found = over(rgba(getComputedStyle(one).backgroundColor), found);
    return found;
  };
  const faint = [];
  let seen = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    if (!text || !element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    if (element.closest('script, noscript, style, .unseen, .skip, .role-mark')) continue;
    const style = getComputedStyle(element), svg = element instanceof SVGElement;
    let top = rgba(svg ? style.fill : style.color);
    for (let one = element; one; one = one.parentElement) top[3] *= Number(getComputedStyle(one).opacity);
    if (svg && element.getAttribute('opacity') === '0') continue;  // a label left out for want of room
    const below = behind(element), above = over(top, below);
    const pair = [light(above), light(below)].sort((a, b) => b - a), ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    seen += 1;
    if (ratio < (large ? 3 : 4.5)) faint.push(ratio.toFixed(2) + ' ' + element.className?.toString() + ': ' + text);
  }
  return [seen, faint];
})()"""


def pages(folder):
    """The page of each kind of verdict, and two runs side by side."""
    made = [write(*sample(), folder / f"{sample.__name__}.html") for sample in (binary, many_classes, regression)]
    return [*made, two_runs.write(binary(), binary(), folder / "two.html", paired=True)]


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out(tmp_path, dark):
    with browser(tmp_path) as tab:
        for page in pages(tmp_path):
            tab.open(page, dark=dark)
            seen, faint = tab.ask(FAINT)
            assert seen > 30, page.name
            assert faint == [], page.name


def test_nothing_is_cut_off_in_print(tmp_path):
    beyond = """[...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && !one.closest('.paper')
      && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((one) => one.outerHTML)"""
    with browser(tmp_path) as tab:
        for page in pages(tmp_path):
            tab.open(page, width=718)  # what margins leave of A4
            tab.send("Emulation.setEmulatedMedia", media="print", features=[])
            assert tab.ask(beyond) == [], page.name

"""Pages in a real browser: nothing from outside, no complaint, and no need of script."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.interaction.chromium import visiting
from tests.interaction.conftest import Service


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_from_the_login_through_a_search_and_its_reasons_to_a_document_and_back(
    chromium: Browser, service: Service, corpus: Path, has_script: bool
) -> None:
    with visiting(chromium, service, java_script_enabled=has_script) as seen:
        page = seen.page
        page.get_by_label("What are you looking for?").fill("where do tomatoes grow")
        page.locator("summary", has_text="Filters").click()
        page.get_by_label("Documents").check()
        page.get_by_role("button", name="Search", exact=True).click()
        first = page.locator("li.hit").first
        first.locator("summary").click()
        assert first.locator("dt", has_text="By meaning").is_visible()
        assert page.get_by_role("link", name="Class Documents").is_visible()
        address = page.url
        page.get_by_role("link", name="Garden").click()
        found = page.locator("#found")
        assert "southern wall" in found.inner_text()
        assert found.bounding_box() is not None
        page.get_by_role("link", name="Back to the search").click()
        assert page.get_by_label("What are you looking for?").input_value() == (
            "where do tomatoes grow"
        )
        assert "class=document" in page.url
        assert page.goto(address) is not None
        assert page.locator("li.hit").count() > 0


@pytest.mark.req("WEB-1", part=True)
def test_everything_is_reached_by_keyboard_alone(
    chromium: Browser, service: Service, corpus: Path
) -> None:
    with visiting(chromium, service) as seen:
        page = seen.page
        # The field has the focus when the page opens: type and go.
        page.keyboard.type("river")
        page.keyboard.press("Enter")
        page.locator("li.hit").first.wait_for()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
        reached: set[str] = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.textContent.trim()"))
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none" or page.evaluate("document.activeElement.tagName") == "BODY"
        assert {"Filters", "Why this hit", "River", "Status"} <= reached


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_in_both_colour_schemes(
    chromium: Browser, service: Service, corpus: Path, scheme: str
) -> None:
    with visiting(chromium, service, color_scheme=scheme) as seen:
        page = seen.page
        for path in ("/search?q=river&class=document", "/document?ref=river.md", "/status"):
            page.goto(path)
            page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
            assert page.evaluate(CONTRASTS) == []
        is_dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(22, 24, 27)"
        )
        assert is_dark == (scheme == "dark")


CONTRASTS = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    const says = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!says) continue;
    const pair = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) weak.push(`${element.tagName} ${element.className} ${ratio.toFixed(2)}`);
  }
  return weak;
}"""
"""The elements whose text has less than 4.5 : 1 contrast (WCAG 2.2, 1.4.3)."""


@pytest.mark.req("WEB-1", part=True)
def test_a_page_fits_a_narrow_screen(chromium: Browser, service: Service, corpus: Path) -> None:
    screen: Any = {"width": 320, "height": 640}
    with visiting(chromium, service, viewport=screen) as seen:
        page = seen.page
        for path in ("/search?q=river&source=notes", "/document?ref=river.md", "/status"):
            page.goto(path)
            page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
            assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.req("GQL-1", part=True)
def test_the_explorer_loads_offline_and_runs_a_query(
    chromium: Browser, service: Service, corpus: Path
) -> None:
    with visiting(chromium, service) as seen:
        page = seen.page
        page.get_by_role("link", name="GraphQL").click()
        page.get_by_role("button", name="Execute query").click()
        result = page.get_by_role("region", name="Result Window")
        result.get_by_text('"hits"').wait_for()
        page.get_by_role("link", name="Status").click()
        page.wait_for_url("**/status")


def test_a_browser_without_a_session_is_told_what_to_do(
    chromium: Browser, service: Service
) -> None:
    with chromium.new_context(base_url=service.url) as context:
        page = context.new_page()
        page.goto("/search?q=river")
        assert page.get_by_role("heading", level=1).inner_text() == "You are not logged in here"
        assert page.get_by_text("garage open").is_visible()
        assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"

"""Pages over HTTP: what arrives in the operations, what is shown of them, and to whom."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from api.ops import originals, reading
from api.ops.garage import Garage
from api.serve.guard import CSP
from api.serve.pages.rendering import NAVIGATION
from graphstore import search_log
from tests.graph import mails
from tests.interaction.browsing import HOSTILE, HTML, SCRIPT, browser, one, shown, store, words
from tests.interaction.conftest import NOTES, Service
from tests.interaction.test_arguments import FILTERS, recorded
from tests.words import WordEmbedder

PAGES = (
    *("/search", "/search?q=river", "/document?ref=river.md", "/status"),
    *("/memories", "/memories?q=river"),
)
LONG = "\n\n".join(
    f"## Part {part}\n\n{'The reeds stand in the water. ' * 40}" for part in range(40)
)


@pytest.fixture(scope="module")
def stored(garage: Garage, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is hard to show: hostile text, a long document, messages."""
    root = tmp_path_factory.mktemp("odd")
    title = HOSTILE.replace('"', "'").replace("\x1b", " ")
    (root / "hostile.md").write_text(
        f"---\nauthor: '{SCRIPT}'\n---\n# Heron {title}\n\nA heron said {HOSTILE}\n",
        encoding="utf-8",
    )
    (root / "long.md").write_text(f"# Long\n\n{LONG}", encoding="utf-8")
    store(garage, "odd", root)
    letters = mails.maildir(tmp_path_factory.mktemp("letters"))
    mails.message(letters, "first")
    mails.message(letters, "second", answers="first", references=("first",))
    mails.with_file(letters, "third")
    store(garage, "letters", letters, "maildir")
    return root


@pytest.fixture
def client(service: Service, stored: Path) -> Iterator[httpx.Client]:
    with browser(service) as opened:
        yield opened


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.req("SEA-2", part=True)
def test_every_field_of_the_form_arrives(client: httpx.Client, garage: Garage) -> None:
    sent = {
        "q": FILTERS["query"],
        "limit": "7",
        "kind": "chunk",
        "source": "notes",
        "class": "document",
        "trust": "authored",
        "mime": "text/markdown",
        "author": "Ada Example",
        "since": "2001-02-03",
        "until": "2101-02-03",
    }
    page = shown(client.get("/search", params=sent))
    form = one(page, "form")
    assert (form["method"], form["action"]) == ("get", "/search")
    assert {str(field["name"]) for field in form.select("input[name], select")} == sent.keys()
    event, asked = recorded(garage)
    day = "T00:00:00+00:00"
    assert asked == {
        **{name: value for name, value in FILTERS.items() if name != "explain"},
        "since": f"2001-02-03{day}",
        "until": f"2101-02-03{day}",
    }
    assert (event.surface, event.client) == ("web", "owner")
    kept = {
        (str(each["name"]), str(each["value"]))
        for each in form.select("input[value]:not([type=checkbox]), input[checked]")
    }
    assert kept == set(sent.items())


@pytest.mark.req("WEB-1", part=True)
def test_fields_may_be_there_several_times_and_each_filter_can_be_taken_off(
    client: httpx.Client, garage: Garage
) -> None:
    asked = [("q", "river"), ("class", "document"), ("class", "code"), ("author", "Ada Example")]
    page = shown(client.get(f"/search?{urlencode(asked)}"))
    assert recorded_filters(garage)["classes"] == ["document", "code"]
    off = [str(link["href"]) for link in page.select("a.chip")]
    assert len(off) == 3
    shown(client.get(off[0]))
    assert recorded_filters(garage)["classes"] == ["code"]
    shown(client.get(off[2]))
    assert recorded_filters(garage)["authors"] == []


def recorded_filters(garage: Garage) -> Mapping[str, Any]:
    (event,) = search_log.latest(garage.graph, 1)
    return event.filters


@pytest.mark.req("SEA-3", part=True)
def test_a_hit_says_where_it_comes_from_and_why_it_came(client: httpx.Client) -> None:
    page = shown(client.get("/search", params={"q": "gauge at the river bridge"}))
    first = page.select("li.hit")[0]
    said = words(first)
    for part in ("notes:river.md", "Source notes", "Class Documents", "Trust Written by you"):
        assert part in said
    assert "Ada Example" in said
    assert "The gauge at the river bridge rose." in words(first.select("blockquote")[0])
    why = words(first.select("details.why")[0])
    for lane in ("By meaning rank 1", "By words rank 1", "By date rank", "Together score 0.0"):
        assert lane in why


@pytest.mark.campaign("C48", part=True)
@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize(
    "path",
    [
        "/search?q=heron",
        "/search?" + urlencode({"q": HOSTILE, "author": HOSTILE, "class": HOSTILE}),
        "/search?" + urlencode({"q": HOSTILE, "limit": HOSTILE}),
        "/document?ref=hostile.md",
        "/document?" + urlencode({"ref": "hostile.md", "back": f"q={HOSTILE}"}),
        "/document?" + urlencode({"ref": HOSTILE}),
        "/document?" + urlencode({"ref": "hostile.md", "page": HOSTILE}),
        "/" + urlencode({"q": HOSTILE}),
        "/status",
    ],
)
def test_hostile_text_is_shown_and_never_obeyed(client: httpx.Client, path: str) -> None:
    reply = client.get(path)
    page = shown(reply, reply.status_code)
    assert page.select("script, img, iframe, style, [style]") == []
    handlers = [name for tag in page.find_all(True) for name in tag.attrs if name.startswith("on")]
    assert handlers == []
    if "value=" not in reply.text or "heron" in path:
        # But in the field of a form, which must send back what was typed.
        assert not {"\x1b", "\u202e"} & set(reply.text)
    links = [str(link["href"]) for link in page.select("a[href]")]
    assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)


@pytest.mark.campaign("C48", part=True)
def test_hostile_text_is_marked_as_quoted_with_its_source_and_trust(client: httpx.Client) -> None:
    hit = shown(client.get("/search?q=heron")).select("li.hit")[0]
    quoted = hit.select("blockquote")[0]
    assert SCRIPT in words(quoted)
    assert "\\x1b[31mred \\u202egnp.exe" in words(quoted)
    assert quoted["dir"] == "auto"
    assert "Source odd" in words(hit)
    page = shown(client.get("/document?ref=hostile.md"))
    text = one(page, "blockquote.text")
    assert SCRIPT in words(text)
    assert "Source odd Class Documents Trust Written by you" in words(one(page, "ul.marks"))


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize("path", [*PAGES, "/search?limit=x&q=y", "/document?ref=none", "/nowhere"])
def test_a_page_brings_nothing_inline_and_says_so_to_the_browser(
    client: httpx.Client, path: str
) -> None:
    reply = client.get(path)
    assert reply.headers["content-security-policy"] == CSP
    assert reply.headers["cache-control"] == "no-store"
    page = shown(reply, reply.status_code)
    assert one(page, "html")["lang"] == "en"
    assert page.select("script, style, [style]") == []
    outside = [str(tag["href"]) for tag in page.select("link[href], a[href]")]
    assert all(link.startswith(("/", "#", "data:")) for link in outside)
    for link in page.select("link[rel=stylesheet]"):
        style = client.get(str(link["href"]))
        assert (style.status_code, style.headers["content-type"]) == (
            200,
            "text/css; charset=utf-8",
        )
    assert [len(page.select(landmark)) for landmark in ("header", "main", "h1")] == [1, 1, 1]
    assert [str(link["href"]) for link in page.select("nav[aria-label=Pages] a")] == [
        address for address, _ in NAVIGATION
    ]
    unlabelled = [
        field
        for field in page.select("input:not([type=checkbox])")
        if not field.get("aria-label") and not page.select(f"label[for={field.get('id')}]")
    ]
    assert unlabelled == []


@pytest.mark.campaign("C28", part=True)
@pytest.mark.parametrize("path", [*PAGES, "/", "/document/original?ref=river.md", "/graphql"])
def test_a_browser_without_a_session_is_told_what_to_type_and_nothing_else(
    service: Service, stored: Path, path: str
) -> None:
    reply = httpx.get(service.url + path, headers=HTML)
    page = shown(reply, 401)
    assert "garage open" in words(one(page, "pre.command"))
    assert str(page.select("main a")[0]["href"]) == path
    assert "gauge" not in reply.text
    assert reply.headers["content-security-policy"] == CSP
    (style,) = page.select("link[rel=stylesheet]")
    assert (
        httpx.get(service.url + str(style["href"])).headers["content-type"].startswith("text/css")
    )
    plain = httpx.get(service.url + path)
    assert (plain.status_code, plain.headers["content-type"]) == (401, "text/plain; charset=utf-8")
    assert httpx.get(f"{service.url}/assets/pages.css", headers=HTML).status_code == 401


@pytest.mark.campaign("C28", part=True)
@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/%5Cevil.example", "/\\evil.example", "///x"]
)
def test_the_way_back_of_the_login_page_never_leads_to_another_host(
    service: Service, path: str
) -> None:
    request = httpx.Request("GET", service.url, headers=HTML)
    request.url = request.url.copy_with(raw_path=path.encode())
    with httpx.Client() as anyone:
        page = shown(anyone.send(request), 401)
    address = str(page.select("main a")[0]["href"])
    assert address.startswith("/")
    assert address[1:2] not in {"/", "\\"}


def test_a_used_link_is_told_readably(service: Service) -> None:
    key = service.auth.login_key()
    welcome = shown(httpx.get(f"{service.url}/login", params={"k": key}))
    assert one(welcome, "meta[http-equiv=refresh]")["content"] == "0; url=/search"
    again = shown(httpx.get(f"{service.url}/login", params={"k": key}), 403)
    assert "does not work any more" in words(again)
    assert "garage open" in words(again)


@pytest.mark.campaign("C20", part=True)
@pytest.mark.parametrize("path", PAGES)
def test_head_answers_like_get_and_post_is_refused(client: httpx.Client, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    origin = str(client.base_url).rstrip("/")
    assert client.post(path).status_code == 403
    assert client.post(path, headers={"Origin": origin}).status_code == 405
    assert client.post(path, headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.get(path, headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.req("WEB-1", part=True)
@pytest.mark.parametrize(
    ("field", "value", "status", "told"),
    [
        ("limit", "500", 400, "Hits: limit is 500."),
        ("limit", "many", 400, "Hits: limit is 'many'."),
        ("since", "soon", 400, "Changed from: since is 'soon'. Write a date as 2026-03-01."),
        ("until", "2026-13-01", 400, "Changed before: until is '2026-13-01'."),
        ("class", "secret", 400, "Class: class is 'secret'."),
        ("trust", "blind", 400, "Trust: trust is 'blind'."),
        ("source", "none", 400, "Source: source is 'none'."),
        ("kind", "song", 400, "Kind: include is 'song'."),
        ("q", "x" * 10_001, 413, "The question: The query has 10,001 characters"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_its_field_and_the_rest_stays(
    client: httpx.Client, field: str, value: str, status: int, told: str
) -> None:
    sent = {"q": "river", "author": "Ada Example", field: value}
    page = shown(client.get("/search", params=sent), status)
    assert told in words(one(page, "[role=alert]"))
    assert one(page, "input[name=author][value]")["value"] == "Ada Example"
    assert one(page, "#q")["value"] == sent["q"]
    assert page.select("details.filters[open]")
    assert page.select(f".wrong[name={field}], .wrong input[name={field}], .wrong legend")


@pytest.mark.req("WEB-1", part=True)
def test_no_hit_says_why_and_what_to_try(client: httpx.Client) -> None:
    page = shown(client.get("/search", params={"q": "river", "author": "Nobody", "kind": "fact"}))
    said = words(one(page, ".notice"))
    assert "Nothing was found" in said
    assert "all 2 filters" in said
    assert "Only passages and memories are searched so far" in said
    assert page.select(".notice a[href='/search?q=river']")


def test_low_confidence_and_what_is_missing_from_an_answer_are_told(
    client: httpx.Client, garage: Garage
) -> None:
    (embedder,) = garage.embedders
    assert isinstance(embedder, WordEmbedder)
    likely, embedder.low_confidence_cosine = embedder.low_confidence_cosine, 2.0
    try:
        page = shown(client.get("/search", params={"q": "river"}))
        assert "Probably nothing here answers this" in words(one(page, ".notice"))
        assert "Confidence low" in words(page.select(".why")[0])
        embedder.is_down = True
        page = shown(client.get("/search", params={"q": "river"}))
    finally:
        embedder.is_down, embedder.low_confidence_cosine = False, likely
    said = words(one(page, ".notice"))
    assert "This answer is not complete" in said
    assert "test-words does not answer." in said


def test_more_hits_than_were_asked_for_are_one_link_away(client: httpx.Client) -> None:
    page = shown(client.get("/search", params={"q": "reeds", "limit": "2"}))
    assert len(page.select("li.hit")) == 2
    more = shown(client.get(str(one(page, ".more a")["href"])))
    assert len(more.select("li.hit")) == 4


@pytest.mark.req("WEB-1", part=True)
def test_a_hit_leads_to_its_passage_in_the_document_and_back(client: httpx.Client) -> None:
    asked = {"q": "tomatoes at the southern wall", "class": "document"}
    results = shown(client.get("/search", params=asked))
    address = str(results.select("li.hit h3 a")[0]["href"])
    assert address.endswith("#found")
    page = shown(client.get(address))
    assert "Tomatoes like the southern wall" in words(one(page, "#found"))
    assert page.select("a[href='#found']")
    back = str(one(page, ".ways a")["href"])
    assert back == "/search?q=tomatoes+at+the+southern+wall&class=document"
    assert len(shown(client.get(back)).select("li.hit")) == len(results.select("li.hit"))


@pytest.mark.req("WEB-1", part=True)
def test_the_pages_of_a_long_document_hold_its_text_once(
    client: httpx.Client, garage: Garage
) -> None:
    leaf = reading.leaf(garage, "long.md")
    assert leaf.leaves > 2
    text, numbers, address = "", [], "/document?ref=odd:long.md"
    while address:
        page = shown(client.get(address))
        text += "".join(each.get_text() for each in page.select("blockquote.text"))
        numbers.append(words(page.select(".leaves span")[0]))
        onward = page.select("a[rel=next]")
        address = str(onward[0]["href"]) if onward else ""
    assert text == reading.read(garage, "long.md", 0, 200_000).text
    assert numbers == [f"Page {n} of {leaf.leaves}" for n in range(1, leaf.leaves + 1)]
    for number in ("0", "-1", str(leaf.leaves + 1), "x"):
        told = shown(client.get("/document", params={"ref": "long.md", "page": number}), 400)
        assert "page is" in words(told)


def test_every_passage_has_an_address_that_shows_it(client: httpx.Client, garage: Garage) -> None:
    chunks = reading.chunks(garage, reading.document(garage, "long.md").uid)
    for chunk in (chunks[0], chunks[len(chunks) // 2], chunks[-1]):
        page = shown(client.get("/document", params={"ref": "long.md", "passage": chunk.uid}))
        assert one(page, "#found blockquote").get_text() == chunk.text
    gone = shown(client.get("/document", params={"ref": "long.md", "passage": "gone"}))
    assert "The passage that was found is gone" in words(one(gone, ".notice"))
    assert gone.select("#found") == []


@pytest.mark.req("WEB-1", part=True)
def test_a_message_leads_to_its_thread_its_attachments_and_its_author(
    client: httpx.Client, garage: Garage
) -> None:
    uris = {each.title: each.uri for each in reading.listed(garage, "letters", 50).documents}
    second = shown(client.get("/document", params={"ref": uris["Message second"]}))
    about = words(one(second, ".about"))
    assert f"Answers {uris['Message first']}" in about
    assert f"Begins its thread {uris['Message first']}" in about
    assert "Ada Example" in about
    with_file = shown(client.get("/document", params={"ref": uris["The plan"]}))
    (attached,) = [a for a in with_file.select(".about a") if "#" in a.get_text()]
    plan = shown(client.get(str(attached["href"])))
    assert f"Attached to {uris['The plan']}" in words(one(plan, ".about"))
    (author,) = [a for a in second.select(".about a") if a.get_text() == "Ada Example"]
    assert one(shown(client.get(str(author["href"]))), "input[name=author][value]")


@pytest.mark.req("WEB-1", part=True)
def test_the_source_file_is_handed_out_to_be_kept_and_only_from_its_source(
    client: httpx.Client, garage: Garage, corpus: Path, stored: Path
) -> None:
    page = shown(client.get("/document?ref=html/page.html"))
    (link,) = [a for a in page.select(".about a") if "source file" in a.get_text()]
    reply = client.get(str(link["href"]))
    assert reply.text == NOTES["html/page.html"]
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == 'attachment; filename="page.html"'
    file, aside = stored / "long.md", stored.parent / "aside.md"
    file.rename(aside)
    try:
        assert "not where it was read" in words(shown(client.get(original("long.md")), 404))
        file.symlink_to(aside)
        assert originals.of(garage, reading.document(garage, "odd:long.md")).file is None
        shown(client.get(original("long.md")), 404)
        assert "It is not there any more" in words(shown(client.get("/document?ref=long.md")))
    finally:
        file.unlink(missing_ok=True)
        aside.rename(file)
    assert client.get(original("long.md")).status_code == 200


@pytest.mark.req("WEB-1", part=True)
def test_the_file_of_a_message_is_found_wherever_it_was_moved(
    client: httpx.Client, garage: Garage
) -> None:
    (first,) = [d for d in reading.listed(garage, "letters", 50).documents if "first" in d.title]
    before = client.get(original(first.uri))
    assert before.text.startswith("From: Ada Example")
    file = originals.of(garage, first).file
    assert file is not None
    moved = file.rename(file.parent.parent / "new" / "first")
    try:
        assert client.get(original(first.uri)).text == before.text
    finally:
        moved.rename(file)


def original(path: str) -> str:
    return f"/document/original?{urlencode({'ref': path})}"


@pytest.mark.req("WEB-1", part=True)
def test_the_status_tells_what_there_is(client: httpx.Client) -> None:
    said = words(one(shown(client.get("/status")), "main"))
    for part in ("notes filesystem 3", "letters maildir", "test-words active 0 0 none", "done"):
        assert part in said


def test_the_address_of_the_service_alone_leads_to_the_search(client: httpx.Client) -> None:
    reply = client.get("/", follow_redirects=True)
    assert reply.url.path == "/search"
    assert "documents in" in words(shown(reply))
    nowhere = words(shown(client.get("/nowhere"), 404))
    assert "There is no such thing here" in nowhere

"""Mail: threads, attachments, mailboxes, and messages that mean harm."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from extraction.errors import ReadRefused
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Author, Draft
from tests.unit.reading import source_at, units_of

SETTINGS = ReadingSettings(self_identities=("ada@example.org",))
BODY = "The lighthouse was dark last night."
DATE = "Mon, 06 May 2024 10:00:00 +0200"


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(SETTINGS) as opened:
        yield opened


def message(subject: str = "The lamp", body: str = BODY, **headers: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = headers.pop("sender", "Bo Example <bo@example.org>")
    mail["To"] = "Ada Example <Ada@example.org>, cy@example.org"
    mail["Date"] = DATE
    mail["Subject"] = subject
    mail["Message-ID"] = "<one@example.org>"
    for name, value in headers.items():
        name = name.replace("_", "-")
        del mail[name]
        mail[name] = value
    mail.set_content(body)
    return mail


def read(readers: Readers, folder: Path, data: bytes | EmailMessage) -> tuple[Draft, ...]:
    raw = data if isinstance(data, bytes) else data.as_bytes()
    (folder / "m.eml").write_bytes(raw)
    (unit,) = units_of(readers, source_at(folder))
    return unit


@pytest.mark.req("SRC-6")
@pytest.mark.req("SRC-5")
def test_a_message_gives_its_body_people_date_and_place_in_the_thread(
    readers: Readers, tmp_path: Path
) -> None:
    reply = message(
        "Re: The lamp",
        f"Fixed.\n\n> {BODY}\n",
        Message_ID="<two@example.org>",
        In_Reply_To="<one@example.org>",
        References="<zero@example.org> <one@example.org>",
    )
    (draft,) = read(readers, tmp_path, reply)
    assert draft.text == f"Fixed.\n\n> {BODY}"
    assert (draft.title, draft.uri) == ("Re: The lamp", "notes:m.eml")
    assert draft.authors == (Author("Bo Example", "email:bo@example.org"),)
    assert draft.mtime == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert (draft.corpus_class, draft.trust) == ("communication", "received")
    assert draft.mail is not None
    assert draft.mail.message_id == "two@example.org"
    assert draft.mail.in_reply_to == "one@example.org"
    assert draft.mail.thread_key == "zero@example.org"
    assert draft.mail.recipients == (
        Author("Ada Example", "email:ada@example.org", is_self=True),
        Author("cy@example.org", "email:cy@example.org"),
    )


@pytest.mark.req("SRC-5")
def test_a_message_of_the_owner_is_authored(readers: Readers, tmp_path: Path) -> None:
    (draft,) = read(readers, tmp_path, message(sender="Ada <ADA@example.org>"))
    assert draft.trust == "authored"
    assert draft.authors[0].is_self


@pytest.mark.req("SRC-6")
@pytest.mark.req("SRC-5")
def test_attachments_are_documents_of_their_own_of_the_class_of_the_message(
    readers: Readers, tmp_path: Path
) -> None:
    mail = message()
    mail.add_attachment("# Plan\n\nPolish.", subtype="markdown", filename="../../.ssh/plan.md")
    mail.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="photo.png")
    mail.add_attachment(b"PK broken", maintype="application", subtype="x", filename="bad.docx")
    mail.add_attachment(b"a\0b", maintype="application", subtype="octet-stream")
    mail.add_attachment("print(1)\n", filename="C:\\code\\lamp.py")
    body, plan, code = read(readers, tmp_path, mail)
    assert body.text == BODY
    assert plan.uri == "notes:m.eml#1-plan.md"
    assert code.uri == "notes:m.eml#5-lamp.py"
    for draft in (plan, code):
        assert (draft.attachment_of, draft.path) == ("notes:m.eml", "m.eml")
        assert (draft.corpus_class, draft.trust) == ("communication", "received")
        assert (draft.mail, draft.mtime, draft.authors) == (None, body.mtime, body.authors)
    assert (plan.title, plan.form) == ("Plan", "markdown")


@pytest.mark.req("SRC-5")
def test_an_attachment_cannot_claim_to_be_the_owners_word(readers: Readers, tmp_path: Path) -> None:
    mail = message()
    mail.add_attachment("---\nauthor: ada@example.org\n---\nPay.", filename="a.md")
    _, attached = read(readers, tmp_path, mail)
    assert attached.authors[0].is_self
    assert attached.trust == "received"


@pytest.mark.req("SRC-2")
def test_plain_text_is_preferred_and_html_is_read_where_there_is_none(
    readers: Readers, tmp_path: Path
) -> None:
    both = message()
    both.add_alternative("<p>The <b>rich</b> one</p>", subtype="html")
    assert read(readers, tmp_path, both)[0].text == BODY
    rich = message()
    rich.set_content("<p>The <b>rich</b> one<script>x()</script></p>", subtype="html")
    assert read(readers, tmp_path, rich)[0].text == "The **rich** one"


@pytest.mark.req("SRC-6")
def test_a_forwarded_message_is_a_document_of_its_own(readers: Readers, tmp_path: Path) -> None:
    outer = message()
    outer.add_attachment(message("Inner", "Words of the inner one.", sender="Cy <cy@example.org>"))
    _, inner = read(readers, tmp_path, outer)
    assert inner.uri == "notes:m.eml#1-Inner.eml"
    assert (inner.title, inner.text) == ("Inner", "Words of the inner one.")
    assert inner.authors[0].name == "Cy"
    assert inner.mail is None


@pytest.mark.req("SRC-6")
def test_a_message_without_an_id_gets_one_that_stays(readers: Readers, tmp_path: Path) -> None:
    mail = message()
    del mail["Message-ID"]
    first, second = (read(readers, tmp_path, mail)[0].mail for _ in range(2))
    assert first is not None
    assert first == second
    assert first.message_id.endswith("@message.invalid")


@pytest.mark.req("SRC-3")
def test_a_message_without_words_is_its_subject_or_skipped(
    readers: Readers, tmp_path: Path
) -> None:
    assert read(readers, tmp_path, message(body=""))[0].text == "The lamp"
    with pytest.raises(ReadRefused, match="empty"):
        read(readers, tmp_path, b"From: bo@example.org\n\n\n")


HEADERS = (
    b"From: Bo <bo@example.org>\nMessage-ID: <one@example.org>\nDate: " + DATE.encode() + b"\n"
)


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C06")
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"Content-Type: text/plain; charset=koi8-r\n\n" + "погода".encode("koi8-r"), "погода"),
        (b"Content-Type: text/plain; charset=nonsense\n\n" + "Süden".encode(), "Süden"),
        (b"Content-Type: text/plain; charset=zip\n\nplain", "plain"),
        (b"Content-Type: text/plain; charset=utf-8\n\n" + b"caf\xe9 au lait", "café au lait"),
        (b"Content-Type: multipart/mixed\n\nno boundary at all", "no boundary at all"),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--y\n\nanother one\n", "another one"),
        (b"Content-Type: text\n\nno subtype", "no subtype"),
        (b"Content-Transfer-Encoding: base64\n\n!!!bm90IHBhZGRlZA", "not padded"),
        (b"Content-Transfer-Encoding: 9bit\n\nunknown", "unknown"),
        (b"Subject: =?nonsense?q?=C3=BC?= =?utf-8?b?!!!?= =?utf-8?q?x\n\nodd", "odd"),
        (b"\n\0zero bytes\0", "zero bytes"),
    ],
)
def test_a_message_with_broken_rules_still_gives_its_words(
    readers: Readers, tmp_path: Path, raw: bytes, text: str
) -> None:
    (draft, *_) = read(readers, tmp_path, HEADERS + raw)
    assert text in draft.text


def flowed(parameters: str, body: str) -> bytes:
    kind = f"Content-Type: text/plain; charset=utf-8; format=flowed{parameters}\n\n"
    return HEADERS + (kind + body).encode()


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    ("parameters", "body", "text"),
    [
        (
            "",
            "The lamp \nwas dark \nlast night.\nAnd today.\n",
            "The lamp was dark last night.\nAnd today.",
        ),
        ("; delsp=yes", "灯台 \n守は\n", "灯台守は"),
        ("", " > no quote \nat all\n", "> no quote at all"),
        ("", "> a quote \n> of two\nSaid \nBo.\n", "> a quote \n> of two\nSaid Bo."),
        ("", "Bye.\n-- \nBo\n", "Bye.\n-- \nBo"),
    ],
)
def test_a_flowed_text_has_the_lines_that_its_writer_made(
    readers: Readers, tmp_path: Path, parameters: str, body: str, text: str
) -> None:
    assert read(readers, tmp_path, flowed(parameters, body))[0].text == text


SPOKEN = {
    "iso-8859-1": "Grüße – „Süden“ für 5 €",  # as programs mean it: windows-1252
    "iso-8859-2": "Zażółć gęślą jaźń",
    "iso-8859-5": "Смотритель маяка",
    "iso-8859-7": "Ο φάρος ήταν σκοτεινός",
    "iso-8859-15": "Œuvre à 5 €",
    "windows-1250": "Příliš žluťoučký kůň",
    "windows-1251": "Смотритель маяка",
    "windows-1253": "Ο φάρος",
    "koi8-r": "Смотритель маяка",
    "shift_jis": "灯台守は①天気を",  # with a letter of cp932
    "iso-2022-jp": "灯台守は天気を",
    "gb2312": "灯塔看守朱镕基",  # with a letter of gbk
    "gb18030": "灯塔看守人",
    "big5": "燈塔看守人",
    "euc-kr": "등대지기",
}


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
@pytest.mark.parametrize("charset", SPOKEN)
@pytest.mark.parametrize("kind", ["plain", "html", "meta"])
def test_a_message_in_any_usual_charset_is_read(
    readers: Readers, tmp_path: Path, charset: str, kind: str
) -> None:
    larger = {"iso-8859-1": "cp1252", "shift_jis": "cp932", "gb2312": "gbk"}
    data = SPOKEN[charset].encode(larger.get(charset, charset))
    head = f"Content-Type: text/{'plain' if kind == 'plain' else 'html'}"
    if kind == "meta":
        data = f"<meta charset={charset}><p>".encode() + data
    else:
        head += f"; charset={charset}"
    raw = HEADERS + f"{head}\nContent-Transfer-Encoding: 8bit\n\n".encode() + data
    assert read(readers, tmp_path, raw)[0].text == SPOKEN[charset]


@pytest.mark.req("SRC-6")
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"Example, Ada" <a@example.org>', "Ada Example"),
        ("\"'Ada Example'\" <a@example.org>", "Ada Example"),
        ('"Example, Inc." <a@example.org>', "Example, Inc."),
        ('"Lights, Lamps, and Oil" <a@example.org>', "Lights, Lamps, and Oil"),
        ("<a@example.org>", "a@example.org"),
    ],
)
def test_a_person_is_called_as_people_say_it(
    readers: Readers, tmp_path: Path, written: str, name: str
) -> None:
    (draft,) = read(readers, tmp_path, f"From: {written}\n\nText.\n".encode())
    assert draft.authors == (Author(name, "email:a@example.org"),)


def nested(depth: int) -> bytes:
    head = b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n'
    return b"".join(head % (n, n) for n in range(depth)) + b"\n" + BODY.encode()


HOSTILE = {
    "5,000 nested parts": nested(5_000),
    "900 nested parts": nested(900),
    "nested messages": b"Content-Type: message/rfc822\n\n" * 5_000 + b"\nx",
    "subject of 1 MB": b"Subject: " + b"=?utf-8?q?a?= (" * 70_000 + b"\n\n" + BODY.encode(),
    "recipients of 1 MB": b"To: " + b'(((("a@b,' * 110_000 + b"\n\n" + BODY.encode(),
    "type of 1 MB": b"Content-Type: text/plain; " + b'a="b;' * 170_000 + b"\n\n" + BODY.encode(),
    "references of 1 MB": b"References: " + b"<a@b.example> " * 70_000 + b"\n\n" + BODY.encode(),
    "100,000 headers": b"X: y\n" * 100_000 + b"\n" + BODY.encode(),
    "10,000 parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 10_000,
    "dates": b"Date: Mon, 99 Foo 99999 99:99:99 +9999\n\n" + BODY.encode(),
}


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C06")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_is_read_to_a_limit_or_refused(
    readers: Readers, tmp_path: Path, name: str
) -> None:
    raw = HOSTILE[name]
    try:
        (draft, *_) = read(readers, tmp_path, b"From: bo@example.org\n" + raw)
    except ReadRefused as refused:
        assert "nested" in name or refused.reason in {
            "empty",
            "one or two signs, over and over",
        }
    else:
        assert len(draft.title) <= 300
        assert draft.mail is not None
        assert len(draft.mail.references) <= 100


@pytest.mark.req("SRC-6")
@pytest.mark.parametrize("date", ["Thu, 01 Jan 2099 00:00:00 +0000", "nonsense", "1 Jan 1901"])
def test_an_absurd_date_gives_way_to_that_of_the_file(
    readers: Readers, tmp_path: Path, date: str
) -> None:
    (draft,) = read(readers, tmp_path, message().as_bytes().replace(DATE.encode(), date.encode()))
    assert draft.mtime.timestamp() == pytest.approx((tmp_path / "m.eml").stat().st_mtime)


def mbox(*messages: bytes) -> bytes:
    return b"".join(
        b"From bo@example.org Mon May  6 10:00:00 2024\n" + m + b"\n\n" for m in messages
    )


@pytest.mark.req("SRC-1")
@pytest.mark.campaign("C06")
def test_a_mailbox_gives_its_messages_one_by_one_past_a_bad_one(
    readers: Readers, tmp_path: Path
) -> None:
    one = message(body=f"{BODY}\n\n>From then on\n\nFrom the start it was so.\n")
    two = message("Two", "Second.", Message_ID="<two@example.org>")
    two.add_attachment("# Plan", filename="plan.md")
    raw = [one.as_bytes(), b"Subject: x\n" + nested(5_000), two.as_bytes(), one.as_bytes()]
    (tmp_path / "Inbox").write_bytes(mbox(*raw))
    first, second = units_of(readers, source_at(tmp_path, "mbox"))
    assert first[0].text == f"{BODY}\n\nFrom then on\n\nFrom the start it was so."
    assert [d.text for d in second] == ["Second.", "# Plan\n"]
    assert second[0].uri.startswith("notes:Inbox#")
    assert second[1].uri == f"{second[0].uri}/1-plan.md"
    assert second[1].attachment_of == second[0].uri


@pytest.mark.req("SRC-4")
def test_a_message_keeps_its_uri_when_another_is_put_before_it(
    readers: Readers, tmp_path: Path
) -> None:
    one, two = message(), message("Two", "Second.", Message_ID="<two@example.org>")
    source = source_at(tmp_path, "mbox")
    (tmp_path / "Inbox").write_bytes(mbox(one.as_bytes()))
    ((before,),) = units_of(readers, source)
    marked = b"X-Status: RO\n" + one.as_bytes()
    (tmp_path / "Inbox").write_bytes(mbox(two.as_bytes(), marked))
    _, (after,) = units_of(readers, source)
    assert after.uri == before.uri


@pytest.mark.req("SRC-3")
def test_a_file_that_is_no_mailbox_is_skipped(readers: Readers, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("From the beginning, this was prose.\n")
    with pytest.raises(ReadRefused, match="not a mailbox"):
        list(units_of(readers, source_at(tmp_path, "mbox")))


@pytest.mark.req("SRC-1")
def test_a_message_of_a_maildir_is_named_without_its_flags(
    readers: Readers, tmp_path: Path
) -> None:
    (tmp_path / "cur").mkdir()
    (tmp_path / "cur/17.host:2,RS").write_bytes(message().as_bytes())
    ((draft,),) = units_of(readers, source_at(tmp_path, "maildir"))
    assert (draft.uri, draft.path, draft.text) == ("notes:17.host", "17.host", BODY)


@pytest.mark.req("SRC-6")
def test_a_name_in_another_charset_is_read_however_it_is_written(
    readers: Readers, tmp_path: Path
) -> None:
    encoded = base64.b64encode("Смотритель".encode("koi8-r")).decode()
    raw = f"From: =?koi8-r?b?{encoded}?= <bo@example.org>\nSubject: Süß\n\nText.\n".encode()
    (draft,) = read(readers, tmp_path, raw)
    assert draft.authors == (Author("Смотритель", "email:bo@example.org"),)
    assert draft.title == "Süß"

"""Facts by rules: what a sentence states, and what it does not."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.facts.records import Passage
from tests.unit.fact_reading import ABOUT, extractor, only, read, triples

pytestmark = pytest.mark.req("FCT-1", part=True)


def test_a_plain_sentence_gives_subject_predicate_and_object() -> None:
    fact = only("Marta manages the ferry project.")
    assert (fact.subject, fact.predicate, fact.object) == ("Marta", "manage", "ferry project")
    assert fact.text == "Marta manages the ferry project."
    assert fact.is_positive


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Marta does not own the boat.", "negated"),
        ("Marta never owned the boat.", "negated"),
        ("Marta no longer owns the boat.", "negated"),
        ("Marta hardly ever uses the boat.", "negated"),
        ("Nobody owns the boat.", "negated"),
        ("Marta has no boat.", "negated"),
        ("Neither Marta nor Jon owns the boat.", "negated"),
        ("Marta refused to sell the boat.", "negated"),
        ("Marta cannot sell the boat.", "negated"),
        ("According to Eva, Marta sold the boat.", "possible"),
        ("Marta may sell the boat.", "possible"),
        ("Marta could sell the boat.", "possible"),
        ("Perhaps Marta sold the boat.", "possible"),
        ("Marta or Jon owns the boat.", "possible"),
        ("Marta tried to sell the boat.", "possible"),
        ("Marta would sell the boat.", "conditional"),
        ("If it rains, Marta sells the boat.", "conditional"),
        ("Unless Jon pays, Marta keeps the boat.", "conditional"),
        ("Marta will sell the boat.", "planned"),
        ("Marta is going to sell the boat.", "planned"),
        ("Marta plans to sell the boat.", "planned"),
        ("Marta must sell the boat.", "required"),
        ("Marta should sell the boat.", "required"),
        ("Marta needs to sell the boat.", "required"),
    ],
)
def test_what_is_denied_supposed_planned_or_demanded_is_never_a_positive_triple(
    text: str, standing: str
) -> None:
    facts = [fact for fact in read(text) if "boat" in fact.object]
    assert [fact.standing for fact in facts] == [standing]
    assert not facts[0].is_positive


@pytest.mark.parametrize(
    "text",
    [
        "Does Marta own the boat?",
        "Where did Marta buy the boat?",
        "Please sell the boat.",
        "Call Marta about the boat before Friday.",
        "Don't forget the boat.",
        "Thanks for the boat!",
        "I hope you are well.",
    ],
)
def test_questions_commands_and_courtesies_state_nothing(text: str) -> None:
    assert triples(text) == []


def test_not_only_denies_nothing() -> None:
    assert triples("Eva is not only a doctor but also a painter.") == [
        ("Eva", "be", "doctor", "stated"),
        ("Eva", "be", "painter", "stated"),
    ]


def test_a_condition_itself_is_not_stated() -> None:
    found = triples("If Marta sells the boat, Jon leaves the club.")
    assert found == [("Jon", "leave", "club", "conditional")]
    assert only("If Marta sells the boat, Jon leaves the club.").text == (
        "Jon leaves the club if Marta sells the boat."
    )


def test_what_somebody_says_or_thinks_is_what_they_say() -> None:
    fact = only("Jon believes that Marta owns the boat.")
    assert (fact.subject, fact.predicate, fact.object) == ("Jon", "believe", "Marta owns the boat")


def test_what_somebody_knows_is_so() -> None:
    assert ("Marta", "own", "boat", "stated") in triples("Jon knows that Marta owns the boat.")


def test_a_passive_with_its_agent_is_turned_round() -> None:
    fact = only("The boat was built by Olsen Brothers.")
    assert (fact.subject, fact.predicate, fact.object) == ("Olsen Brothers", "build", "boat")
    assert fact.text == "The boat was built by Olsen Brothers."


def test_a_passive_without_agent_says_what_was_done() -> None:
    fact = only("The release was moved from 22 May to 5 June.")
    assert (fact.subject, fact.predicate, fact.object) == ("release", "be moved to", "5 June")


def test_each_of_several_subjects_and_objects_is_a_fact_of_its_own() -> None:
    assert triples("Marta and Jon own a boat and a barn.") == [
        ("Marta", "own", "boat", "stated"),
        ("Marta", "own", "barn", "stated"),
        ("Jon", "own", "boat", "stated"),
        ("Jon", "own", "barn", "stated"),
    ]
    assert [f.text for f in read("Marta and Jon have a boat.")] == [
        "Marta has a boat.",
        "Jon has a boat.",
    ]


def test_verbs_share_subject_auxiliary_and_object() -> None:
    assert triples("Marta wrote and signed the letter.") == [
        ("Marta", "write", "letter", "stated"),
        ("Marta", "sign", "letter", "stated"),
    ]
    assert {each[3] for each in triples("Marta will sell the boat and buy a barn.")} == {"planned"}


def test_a_name_after_a_preposition_is_a_fact_of_its_own() -> None:
    assert triples("Marta sold the boat to Jon.") == [
        ("Marta", "sell", "boat", "stated"),
        ("Marta", "sell to", "Jon", "stated"),
    ]


def test_an_apposition_says_what_somebody_is() -> None:
    assert ("Marta Friel", "be", "head of the ferry project", "stated") in triples(
        "Marta Friel, head of the ferry project, lives in Bergen."
    )
    assert ("Priya Nand", "be", "Ines Brandt's manager", "stated") in triples(
        "Priya Nand, head of data at Halmfeld, my manager."
    )


def test_a_relative_clause_is_about_its_noun() -> None:
    assert ("Mrs Okafor", "live on", "ground floor", "stated") in triples(
        "The flat belongs to Mrs Okafor, who lives on the ground floor."
    )


def test_what_there_is_is_where_it_is() -> None:
    assert triples("There are three copies in the cellar.") == [
        ("three copies", "be in", "cellar", "stated")
    ]


def test_the_author_is_i_and_the_one_addressee_you() -> None:
    assert only("I prefer the older edition.").text == "Ines Brandt prefers the older edition."
    assert triples("You own my boat.") == [("Oskar Wieland", "own", "Ines Brandt's boat", "stated")]


def test_without_one_author_i_stays_unresolved_and_less_sure() -> None:
    both = replace(ABOUT, authors=("Ines Brandt", "Milo Handke"))
    fact = only("I prefer the older edition.", both)
    assert (fact.subject, fact.is_resolved, fact.is_positive) == ("I", False, False)
    assert fact.confidence < only("I prefer the older edition.").confidence


def test_we_are_the_author_and_others_and_no_triple() -> None:
    fact = only("We live in Rostock.")
    assert (fact.subject, fact.is_positive) == ("we", False)
    assert fact.text == "Ines Brandt and others live in Rostock."


def test_i_within_a_quotation_is_not_the_author() -> None:
    assert not any(f.subject == "Ines Brandt" for f in read('Marta said "I sold the boat."'))


def test_a_pronoun_means_the_one_who_can_be_meant() -> None:
    text = "Mrs Okafor owns the house. She lives on the ground floor."
    assert ("Mrs Okafor", "live on", "ground floor", "stated") in triples(text)
    assert ("policy", "end", "", "stated") in triples(
        "I cancelled the policy, and it ends in December."
    )


def test_a_pronoun_with_two_possible_meanings_is_left_and_marked() -> None:
    found = read("Mrs Okafor called Mrs Lind. She owns the house.")
    fact = next(fact for fact in found if fact.object == "house")
    assert (fact.subject, fact.is_resolved, fact.is_positive) == ("she", False, False)
    assert "-2 a pronoun that nobody could resolve" in fact.salience.reasons


def test_a_name_that_may_be_a_persons_keeps_a_pronoun_open() -> None:
    found = read("Jonas writes the note to Ruth. He left Bergen.")
    left = next(fact for fact in found if fact.object == "Bergen")
    assert (left.subject, left.is_resolved) == ("he", False)


def test_a_first_name_becomes_the_full_name_that_the_passage_gives() -> None:
    found = triples("Marta Friel lives in Bergen. On Monday Marta sold the boat.")
    assert ("Marta Friel", "sell", "boat", "stated") in found


def test_a_note_that_leaves_out_its_subject_is_about_its_author_or_its_heading() -> None:
    assert triples("Planted twelve tomatoes behind the shed.")[0][0] == "Ines Brandt"
    assert triples("Reads CSV files from the loggers.", heading="Gauge › Importer")[0][0] in {
        "Importer",
    }


def test_a_key_and_its_value_are_about_the_heading() -> None:
    fact = only("Owner: Milo Handke", heading="Projects › Gauge importer")
    assert (fact.subject, fact.predicate, fact.object) == ("Gauge importer", "Owner", "Milo Handke")
    assert (fact.text, fact.quote) == ("Gauge importer, Owner: Milo Handke.", "Owner: Milo Handke")
    assert only("Budget: 400 euros").subject == ABOUT.title
    assert only("Budget: 400 euros", replace(ABOUT, title="Re: FW: Boat")).subject == "Boat"


def test_a_heading_that_is_a_clause_names_nothing() -> None:
    assert only("Budget: 400 euros", heading="Boat › What it costs").subject == ABOUT.title
    assert triples("Reads CSV files.", heading="What it does") == []


def test_a_paragraph_in_another_script_is_not_read() -> None:
    assert triples("Μαρία πούλησε το σκάφος στον Γιάννη.") == []


def test_a_sentence_after_a_key_is_read_as_a_sentence() -> None:
    assert triples("Note: Marta sold the boat.") == [("Marta", "sell", "boat", "stated")]


def test_the_same_text_gives_the_same_facts() -> None:
    text = "Marta Friel, my boss, moved to Oslo in May 2025. She sold the boat to Jon and left."
    assert read(text) == read(text)


def test_what_is_said_of_the_past_is_marked() -> None:
    assert only("Marta worked for Brightwater.").is_past
    assert only("Marta used to work for Brightwater.").is_past
    assert not only("Marta works for Brightwater.").is_past
    assert not only("Marta has worked for Brightwater since 2019.").is_past


def test_salience_tells_its_reasons_and_rises_with_them() -> None:
    plain = only("The gate is green.")
    decided = only("The board approved 24,000 euros for the Varnheim station.")
    assert decided.salience.score > plain.salience.score
    assert decided.kind == "decision"
    assert "+2 decision" in decided.salience.reasons


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Marta is a teacher.", "entity"),
        ("Marta works for Brightwater.", "relationship"),
        ("The council postponed the vote.", "decision"),
        ("Marta prefers the older edition.", "preference"),
        ("The crown costs 780 euros.", "quantity"),
        ("The pump broke in the cellar.", "event"),
        ("The gauge supports tidal rivers.", "claim"),
    ],
)
def test_a_fact_has_a_kind(text: str, kind: str) -> None:
    assert only(text).kind == kind


MESSY = st.text(
    st.sampled_from(list("abIM .,:;?!-*_`>#|[]()<>'\"\n\t\r0129é\u0301\U0001f600字\u200b\ud800"))
)
WORDY = st.lists(
    st.sampled_from(
        [
            *("Marta", "she", "it", "who", "sold", "will", "not", "the", "boat", "and", "or", "to"),
            *(
                "in",
                "May",
                "2025",
                ".",
                ",",
                "?",
                "if",
                "I",
                "my",
                "\n",
                "- ",
                "Key: ",
                "is",
                "that",
            ),
        ]
    ),
    max_size=30,
).map(" ".join)


@settings(max_examples=120, deadline=None)
@given(st.one_of(st.text(), MESSY, WORDY))
def test_any_text_gives_facts_whose_spans_are_its_own_words(text: str) -> None:
    for fact in extractor().facts(Passage(text), ABOUT):
        assert 0 <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.quote
        assert fact.subject
        assert fact.text
        assert 1 <= fact.salience.score <= 10
        assert 0 < fact.confidence <= 1

// The page on the phone: one number per gauge, large, with its age beside it.
// No framework and no foreign script: it must load over a modem, in the sun, with wet hands.

const REFRESH_MS = 60_000;
const MARKS = { calm: "●", notice: "▲", warning: "■", silent: "?" };

/** Say how old a reading is, in words that fit on a button. */
export function age(seconds) {
  if (seconds < 120) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
}

/** Metres with two decimals: nobody at a landing stage thinks in millimetres. */
export function metres(levelMm) {
  return `${(levelMm / 1000).toFixed(2)} m`;
}

/** Colours are never the only sign, so that every state has a mark of its own. */
export function render(gauge) {
  const card = document.createElement("section");
  card.className = gauge.state;
  const number = document.createElement("strong");
  number.textContent = gauge.state === "silent" ? "–" : metres(gauge.levelMm);
  const note = document.createElement("p");
  note.textContent = `${MARKS[gauge.state]} ${gauge.trend}, ${age(gauge.ageSeconds)}`;
  card.append(gauge.name, number, note);
  return card;
}

export async function refresh(root) {
  const answer = await fetch("levels.json", { cache: "no-store" });
  const gauges = await answer.json();
  root.replaceChildren(...gauges.map(render));
}

export function start(root) {
  refresh(root);
  return setInterval(() => refresh(root), REFRESH_MS);
}

/* Counting: says how much of a field is used, and turns saving off past its limit.
   The service counts again: without this script it is the one that says no. */

"use strict";

for (const field of document.querySelectorAll("textarea[data-most]")) {
  const most = Number(field.dataset.most);
  const others = Number(field.dataset.others || 0);
  const unit = field.dataset.unit;
  const said = field.form.querySelector("[data-count]");
  const over = field.form.querySelector("[data-over]");
  const saves = field.form.querySelectorAll("button[data-saves]");
  const written = (number) => number.toLocaleString("en");

  const count = () => {
    const text = field.value.trim();
    const own = unit === "bytes" ? new TextEncoder().encode(text).length : [...text].length;
    const total = others + own;
    const isOver = total > most;
    said.textContent = `${written(total)} of ${written(most)} ${unit}`;
    // Spoken when it changes, and not at every key.
    const told = isOver ? "Too long to be saved." : "";
    if (over.textContent !== told) over.textContent = told;
    field.classList.toggle("wrong", isOver);
    field.setAttribute("aria-invalid", String(isOver));
    for (const button of saves) button.disabled = isOver;
  };

  field.addEventListener("input", count);
  // What a browser brings back with the way back comes after the page is loaded.
  window.addEventListener("pageshow", count);
  count();
}

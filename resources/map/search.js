// The search box: every document whose title or text has the words glows; Enter goes from one to the next.

let matches = null; // places in order of the documents, or null without a query
let current = -1;
let waiting = 0; // the timer of a search that will start when typing pauses

function query() {
  return at("query").value.normalize("NFC").trim().toLowerCase();
}

function search() {
  clearTimeout(waiting);
  waiting = 0;
  const wanted = query();
  current = -1;
  matches = null;
  if (wanted) {
    matches = [];
    searchable().forEach((text, place) => { if (text.includes(wanted)) matches.push(place); });
  }
  showFound();
  if (pinned >= 0) showCard();
  inkChanged();
}

function showFound() {
  const count = matches ? matches.length : 0;
  at("found").textContent = !matches ? "" : !count ? say("nothing") : current >= 0 ? say("at", number(current + 1), number(count)) : say("found", number(count));
  at("clear").hidden = at("previous").hidden = at("next").hidden = !matches;
  at("previous").disabled = at("next").disabled = !count;
}

/** Goes to the next or previous match and shows its card. */
function step(by) {
  if (!matches || !matches.length) return;
  current = (current + by + matches.length + (current < 0 && by < 0 ? 1 : 0)) % matches.length;
  showFound();
  goTo(matches[current]);
}

function clearSearch() {
  at("query").value = "";
  search();
}

at("query").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 120);
});
at("search").addEventListener("submit", (event) => event.preventDefault());
at("query").addEventListener("keydown", (event) => {
  if (event.isComposing) return; // Enter ends a Korean syllable
  if (event.key === "Enter") {
    event.preventDefault();
    if (waiting) search();
    step(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape" && at("query").value) {
    event.stopPropagation();
    clearSearch();
  }
});
at("next").addEventListener("click", () => step(1));
at("previous").addEventListener("click", () => step(-1));
at("clear").addEventListener("click", () => { clearSearch(); at("query").focus(); });

// The card of one document: title, place, text, cluster, trust, and what else is known. All as text, never as markup.

let pinned = -1;
let hovered = -1;

function fillCard(place, query) {
  const { titles, snippets, paths, parts } = readTexts();
  const card = at("card");
  card.replaceChildren(marked(make("h2"), titles[place], query));
  const where = [paths[place], parts[place]].filter(Boolean).join(" · ");
  if (where) card.append(make("p", "place", where));
  const group = make("p", "group"), dot = make("span", "dot"), cluster = map.clusters[place];
  dot.style.background = cluster < 0 ? look().leftover : look().groups[cluster];
  group.append(dot, make("span", "", cluster < 0 ? say("none") : map.names[cluster]));
  card.append(group);
  const text = body(titles[place], snippets[place]);
  if (text) card.append(marked(make("p", "text"), around(text, query), query));
  card.append(facts(place));
  if (place === pinned) card.append(closeButton());
}

/** The text without a first line that only says the title again, and without empty lines in a row. */
function body(title, text) {
  const bare = text.replace(/^[#\s]+/, "");
  return (bare.startsWith(title) ? bare.slice(title.length).replace(/^[\s.:,–-]+/, "") : text).replace(/\n{2,}/g, "\n").trim();
}

/** The text from a little before the first match on, so that the match is seen. */
function around(text, query) {
  const found = query ? text.toLowerCase().indexOf(query) : -1;
  return found > 200 && pinned < 0 ? "… " + text.slice(found - 80) : text;
}

/** Writes text into an element, with the matches of the query set off. */
function marked(part, text, query) {
  const low = text.toLowerCase();
  if (!query || low.length !== text.length) {
    part.append(text);
    return part;
  }
  let from = 0;
  for (let found = low.indexOf(query); found >= 0; found = low.indexOf(query, from)) {
    part.append(text.slice(from, found), make("mark", "", text.slice(found, found + query.length)));
    from = found + query.length;
  }
  part.append(text.slice(from));
  return part;
}

function facts(place) {
  const list = make("dl");
  const add = (name, value, more) => {
    const term = make("dt", more ? "more" : "", name), text = make("dd", more ? "more" : "");
    text.append(value);
    list.append(term, text);
  };
  if (!Number.isNaN(map.trust[place])) add(say("trust"), trustBar(map.trust[place]), false);
  for (const column of map.columns) {
    const value = column.values[place];
    if (column.kind === "text" ? value < 0 : Number.isNaN(value)) continue;
    const written = column.kind === "text" ? column.names[value] : column.kind === "date" ? day(value) : number(value, 3);
    add(column.name, written, column.key !== by);
  }
  return list;
}

function trustBar(value) {
  const whole = make("span"), bar = make("span", "bar"), filled = make("i");
  filled.style.width = `${Math.round(100 * value)}%`;
  bar.append(filled);
  whole.append(bar, say("trustOf", number(100 * value)));
  whole.title = say("trustTip").split(". ")[0];
  return whole;
}

function closeButton() {
  const button = make("button", "close", "×");
  button.type = "button";
  button.setAttribute("aria-label", say("close"));
  button.title = say("close");
  button.addEventListener("click", () => { pin(-1); at("ink").focus(); });
  return button;
}

/** Shows the card of the pinned or hovered document, or hides it. */
function showCard() {
  const card = at("card"), place = pinned >= 0 ? pinned : hovered;
  card.hidden = place < 0;
  card.classList.toggle("pinned", pinned >= 0);
  if (place < 0) return;
  fillCard(place, query());
  placeCard();
}

/** Puts the card beside its point, within the map and off the legend. */
function placeCard() {
  const card = at("card"), place = pinned >= 0 ? pinned : hovered;
  if (place < 0) return;
  const [x, y] = onScreen(place), free = room(), edge = free.right - 8;
  const right = x + 16 + card.offsetWidth < edge;
  const left = right ? x + 16 : x - 16 - card.offsetWidth;
  card.style.left = `${Math.max(8, Math.min(edge - card.offsetWidth, left))}px`;
  const beside = free.width > NARROW ? y - 20 : free.bottom; // on a narrow screen it lies at the bottom
  card.style.top = `${Math.max(8, Math.min(free.bottom - card.offsetHeight - 8, beside))}px`;
}

function pin(place) {
  pinned = place;
  showCard();
  if (place >= 0) at("live").textContent = say("pinned", readTexts().titles[place]);
  draw();
}

function hover(place) {
  if (place === hovered) return;
  hovered = place;
  at("ink").classList.toggle("over", place >= 0);
  if (pinned < 0) showCard();
  draw();
}

// What the colours mean: the groups of the points by cluster, trust or another column, and the legend of them.

const STEPS = 6;
let dark = matchMedia("(prefers-color-scheme: dark)").matches;
let by = map.by;
let groups = null; // of: Int32Array, entries: [{text, colour, count}], shade: the place of each point on the ramp, or null
let kept = new Set(); // entries that are shown alone; empty shows all

const look = () => map.look[dark ? "dark" : "light"];

function choices() {
  const found = [["cluster", say("cluster")]];
  if (map.trust.some((value) => !Number.isNaN(value))) found.push(["trust", say("trust")]);
  for (const column of map.columns) if (column.choice) found.push([column.key, column.name]);
  return found;
}

function findGroups() {
  if (by === "cluster") return named(map.clusters, map.names, say("none"));
  if (by === "trust") return ranges(map.trust, (value) => say("trustOf", number(100 * value)));
  const column = map.columns.find((one) => one.key === by);
  if (column.kind === "text") return named(column.values, column.names, say("missing"));
  return ranges(column.values, column.kind === "date" ? day : (value, span) => number(value, span >= 20 ? 0 : span >= 2 ? 1 : 3));
}

function day(seconds) {
  return new Date(1000 * seconds).toISOString().slice(0, 10);
}

/** Groups by name; the names after the first forty share one entry, as do the points without one. */
function named(values, names, without) {
  const most = by === "cluster" ? names.length : Math.min(names.length, map.most);
  const colours = look().groups;
  const entries = names.slice(0, most).map((text, place) => ({ text, colour: colours[place], count: 0 }));
  if (names.length > most) entries.push({ text: say("other", number(names.length - most)), colour: look().leftover, count: 0 });
  entries.push({ text: without, colour: look().leftover, count: 0 });
  const of = new Int32Array(values.length);
  for (let place = 0; place < values.length; place++) {
    of[place] = values[place] < 0 ? entries.length - 1 : Math.min(values[place], most);
    entries[of[place]].count++;
  }
  return { of, entries, shade: null };
}

/** Groups by amount: equal steps between the 2nd and the 98th percentile, colours even finer. */
function ranges(values, written) {
  const known = Float64Array.from(values).filter((value) => !Number.isNaN(value)).sort();
  const low = known[Math.floor(0.02 * (known.length - 1))], high = known[Math.ceil(0.98 * (known.length - 1))];
  const steps = known.length && high > low ? STEPS : known.length ? 1 : 0;
  const ramp = look().ramp;
  const entries = [];
  for (let step = 0; step < steps; step++) {
    const [from, to] = [step, step + 1].map((edge) => written(low + (edge / steps) * (high - low), high - low));
    entries.push({ text: steps === 1 ? from : `${from} – ${to}`, colour: ramp[Math.floor(((step + 0.5) / steps) * (ramp.length - 1))], count: 0 });
  }
  entries.push({ text: say("missing"), colour: look().leftover, count: 0 });
  const of = new Int32Array(values.length), shade = new Float32Array(values.length);
  for (let place = 0; place < values.length; place++) {
    shade[place] = Math.max(0, Math.min(1, high > low ? (values[place] - low) / (high - low) : 0.5));
    of[place] = Number.isNaN(values[place]) ? steps : Math.min(steps - 1, Math.floor(shade[place] * steps));
    entries[of[place]].count++;
  }
  return { of, entries, shade };
}

/** The colour of one point now. */
function colourOf(place) {
  const group = groups.of[place], entry = groups.entries[group];
  if (!groups.shade || entry.colour === look().leftover) return entry.colour;
  return look().ramp[Math.round(groups.shade[place] * (look().ramp.length - 1))];
}

/** Fills the ink of all points: colour and state. Returns the states that occur, in the order of painting. */
function fillInk(ink, found) {
  const rgb = new Map();
  const parts = (colour) => rgb.get(colour) || (rgb.set(colour, channels(colour)), rgb.get(colour));
  const grey = channels(look().context), seen = [false, false, false];
  for (let place = 0; place < groups.of.length; place++) {
    const shown = !kept.size || kept.has(groups.of[place]);
    const state = !shown ? CONTEXT : !found ? SHOWN : found.has(place) ? FOUND : CONTEXT;
    const colour = state === CONTEXT ? grey : parts(colourOf(place));
    ink[4 * place] = colour[0];
    ink[4 * place + 1] = colour[1];
    ink[4 * place + 2] = colour[2];
    ink[4 * place + 3] = state;
    seen[state] = true;
  }
  return [CONTEXT, SHOWN, FOUND].filter((state) => seen[state]);
}

function showLegend() {
  const list = at("groups");
  list.replaceChildren();
  groups.entries.forEach((entry, place) => {
    if (!entry.count) return;
    const button = make("button");
    const dot = make("span", "dot");
    dot.style.background = entry.colour;
    button.type = "button";
    button.title = entry.text;
    button.setAttribute("aria-pressed", String(kept.has(place)));
    button.append(dot, make("span", "name", entry.text), make("span", "faint", number(entry.count)));
    button.addEventListener("click", () => keep(place));
    const line = make("li");
    line.append(button);
    list.append(line);
  });
  markLegend();
}

function markLegend() {
  const places = groups.entries.flatMap((entry, place) => (entry.count ? [place] : []));
  [...at("groups").children].forEach((line, row) => line.firstChild.setAttribute("aria-pressed", String(kept.has(places[row]))));
  at("legend").classList.toggle("dim", kept.size > 0);
  at("all").hidden = !kept.size;
  let count = 0;
  for (const place of kept) count += groups.entries[place].count;
  at("shown").textContent = kept.size ? say("filtered", number(count)) : say("shown");
}

function keep(place) {
  if (!kept.delete(place)) kept.add(place);
  markLegend();
  inkChanged();
}

function keepAll() {
  kept.clear();
  markLegend();
  inkChanged();
}

function colourBy(choice) {
  by = choice;
  kept.clear();
  groups = findGroups();
  at("by").value = by;
  showLegend();
  inkChanged();
}

function showChoices() {
  at("by").replaceChildren(...choices().map(([key, text]) => {
    const option = make("option", "", text);
    option.value = key;
    return option;
  }));
  at("by").value = by;
}

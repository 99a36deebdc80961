// Pointer, wheel and keys, the buttons, and the start of it all.

const board = at("ink");
const fingers = new Map();
let moved = 0;

function place_of(event) {
  const { left, top } = size();
  return [event.clientX - left, event.clientY - top];
}

board.addEventListener("pointerdown", (event) => {
  if (event.button > 0) return;
  board.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, place_of(event));
  if (fingers.size === 1) moved = 0;
  cancelAnimationFrame(flight);
});

board.addEventListener("pointermove", (event) => {
  const [x, y] = place_of(event), before = fingers.get(event.pointerId);
  if (!before) {
    if (event.pointerType !== "touch") hover(pointAt(x, y));
    return;
  }
  moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
  if (fingers.size === 1) {
    if (moved > 4) {
      board.classList.add("moving");
      hover(-1);
    }
    look_at({ x: view.x - (x - before[0]) / view.scale, y: view.y + (y - before[1]) / view.scale, scale: view.scale });
  } else {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, where]) => where);
    const far = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]);
    const [mx, my] = onMap((before[0] + other[0]) / 2, (before[1] + other[1]) / 2);
    look_at(closer(far([x, y]) / Math.max(1, far(before)), (before[0] + other[0]) / 2, (before[1] + other[1]) / 2));
    const [nx, ny] = onMap((x + other[0]) / 2, (y + other[1]) / 2);
    look_at({ x: view.x + mx - nx, y: view.y + my - ny, scale: view.scale });
  }
  fingers.set(event.pointerId, [x, y]);
});

function lift(event) {
  if (!fingers.delete(event.pointerId)) return;
  board.classList.remove("moving");
  if (event.type === "pointerup" && moved <= 4 && !fingers.size) pin(pointAt(...place_of(event)));
}
board.addEventListener("pointerup", lift);
board.addEventListener("pointercancel", lift);
board.addEventListener("pointerleave", () => { if (!fingers.size) hover(-1); });

board.addEventListener("wheel", (event) => {
  event.preventDefault();
  cancelAnimationFrame(flight);
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const amount = Math.max(-240, Math.min(240, event.deltaY * lines));
  look_at(closer(Math.exp(-amount * (event.ctrlKey ? 0.01 : 0.002)), ...place_of(event))); // Ctrl: a pinch on a touch pad
}, { passive: false });

board.addEventListener("dblclick", (event) => fly(closer(event.shiftKey ? 0.5 : 2, ...place_of(event))));

const KEYS = {
  "+": () => zoomBy(1.5), "=": () => zoomBy(1.5), "-": () => zoomBy(1 / 1.5), "_": () => zoomBy(1 / 1.5),
  0: () => fit(), Home: () => fit(),
  ArrowLeft: () => shift(-1, 0), ArrowRight: () => shift(1, 0), ArrowUp: () => shift(0, 1), ArrowDown: () => shift(0, -1),
  j: () => walk(1), k: () => walk(-1), "ㅓ": () => walk(1), "ㅏ": () => walk(-1), // the same keys on a Korean keyboard
  Enter: () => { if (hovered >= 0) pin(hovered); },
};

board.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});

function shift(right, up) {
  const { width, height } = size();
  fly({ x: view.x + (right * width * 0.15) / view.scale, y: view.y + (up * height * 0.15) / view.scale, scale: view.scale });
}

/** The next or previous document that is not mere context. */
function walk(by) {
  if (matches) return step(by);
  let place = Math.max(hovered, pinned);
  if (place < 0 && by < 0) place = map.count;
  for (let tries = 0; tries < map.count; tries++) {
    place = (place + by + map.count) % map.count;
    if (ink[4 * place + 3] !== CONTEXT) return goTo(place);
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    at("query").focus();
  } else if (event.key === "Escape") back();
});

/** One step back: help, card, search, filter. */
function back() {
  if (!at("help").hidden) return showHelp(false);
  if (pinned >= 0 || hovered >= 0) {
    hovered = -1;
    return pin(-1);
  }
  if (matches) return clearSearch();
  if (kept.size) keepAll();
}

function showHelp(open) {
  at("help").hidden = !open;
  at("keys").setAttribute("aria-expanded", String(open));
  const list = make("dl");
  for (const [keys, meaning] of WORDS[language].help) list.append(make("dt", "", keys), make("dd", "", meaning));
  at("help").replaceChildren(list);
}

/** Everything that is written anew when the language or the theme changes. */
function refresh() {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  translatePage();
  at("count").textContent = say("documents", number(map.count));
  at("language").textContent = say("language");
  at("trust").hidden = map.meanTrust === null;
  at("trust").textContent = map.meanTrust === null ? "" : say("meanTrust", number(100 * map.meanTrust));
  at("empty").hidden = map.count > 0;
  showChoices();
  groups = findGroups();
  showLegend();
  showFound();
  showCard();
  showHelp(!at("help").hidden);
  inkChanged();
}

at("closer").addEventListener("click", () => zoomBy(1.5));
at("farther").addEventListener("click", () => zoomBy(1 / 1.5));
at("fit").addEventListener("click", () => fit());
at("all").addEventListener("click", keepAll);
at("by").addEventListener("change", () => colourBy(at("by").value));
at("trust").addEventListener("click", () => colourBy(by === "trust" ? "cluster" : "trust"));
at("keys").addEventListener("click", () => showHelp(at("help").hidden));
at("theme").addEventListener("click", () => { dark = !dark; refresh(); });
at("language").addEventListener("click", () => { language = language === "ko" ? "en" : "ko"; refresh(); });
function fold(folded) {
  at("legend").classList.toggle("folded", folded);
  at("fold").setAttribute("aria-expanded", String(!folded));
}
at("fold").addEventListener("click", () => fold(!at("legend").classList.contains("folded")));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => { dark = event.matches; refresh(); });
new ResizeObserver(() => draw()).observe(at("ink"));

choosePainter();
fold(size().width <= NARROW);
refresh();
fit(false);
drawNow();
setTimeout(readTexts, 0);

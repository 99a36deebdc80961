// The view: where it looks, how it is moved, and what is drawn when.

const NARROW = 720; // pixels, as in the style
const grid = new Grid(map.positions);
const ink = new Uint8Array(4 * map.count);
const view = { x: 0, y: 0, scale: 1 };
const still = matchMedia("(prefers-reduced-motion: reduce)");
let painter = null;
let asked = 0; // the frame that is asked for
let flight = 0;
let inkStale = true;
let pointsStale = true;
const pace = { every: 1, shown: 1, quick: 0, moving: false, drawn: -1e9, rest: 0 };
let labelsDrawn = [];

function size() {
  const box = at("ink").getBoundingClientRect();
  return { width: Math.max(1, box.width), height: Math.max(1, box.height), left: box.left, top: box.top };
}

/** The room that the legend leaves: beside it, or above it on a narrow screen. */
function room() {
  const { width, height } = size(), box = at("legend").getBoundingClientRect(), narrow = width <= NARROW;
  const right = narrow ? width : width - box.width - 12, bottom = narrow ? height - box.height - 8 : height;
  return { width, height, right, bottom };
}

function fitted() {
  const { width, height, right, bottom } = room(), [w, h] = map.extent;
  const scale = Math.min(Math.max(40, right - 48) / Math.max(w, 1e-6), Math.max(40, bottom - 56) / Math.max(h, 1e-6), 1e4);
  return { x: (width - right) / 2 / scale, y: (bottom - height) / 2 / scale, scale };
}

function fit(animate = true) {
  fly(fitted(), animate);
}

const closeness = () => view.scale / fitted().scale;

/** The radius of a point: smaller the more there are, larger close up. */
function radius() {
  const side = fitted().scale, area = Math.max(map.extent[0], 0.5) * Math.max(map.extent[1], 0.5) * side * side;
  const own = Math.max(1.1, Math.min(6, 0.32 * Math.sqrt(area / Math.max(1, map.count))));
  return Math.min(9, own * Math.max(0.8, closeness()) ** 0.42);
}

function onScreen(place) {
  const { width, height } = size();
  return [width / 2 + (map.positions[2 * place] - view.x) * view.scale, height / 2 - (map.positions[2 * place + 1] - view.y) * view.scale];
}

function onMap(x, y) {
  const { width, height } = size();
  return [view.x + (x - width / 2) / view.scale, view.y - (y - height / 2) / view.scale];
}

function pointAt(x, y) {
  const reach = (radius() + 6) / view.scale;
  return grid.nearest(...onMap(x, y), reach, ink);
}

function bounded(goal) {
  const least = fitted().scale;
  const scale = Math.max(0.5 * least, Math.min(400 * least, goal.scale));
  return { x: Math.max(-1.2, Math.min(1.2, goal.x)), y: Math.max(-1.2, Math.min(1.2, goal.y)), scale };
}

function look_at(goal) {
  Object.assign(view, bounded(goal));
  pace.moving = true;
  drawPoints();
}

/** Draws every point again once the view has stopped. */
function rest() {
  pace.rest = 0;
  drawPoints();
}

/** Moves the view over a fifth of a second, or at once where motion is not wanted. */
function fly(goal, animate = true) {
  cancelAnimationFrame(flight);
  goal = bounded(goal);
  if (!animate || still.matches) return look_at(goal);
  const start = { ...view }, begun = performance.now();
  const move = (now) => {
    const t = Math.max(0, Math.min(1, (now - begun) / 200)), eased = t * (2 - t);
    look_at({
      x: start.x + (goal.x - start.x) * eased,
      y: start.y + (goal.y - start.y) * eased,
      scale: start.scale * (goal.scale / start.scale) ** eased,
    });
    if (t < 1) flight = requestAnimationFrame(move);
  };
  flight = requestAnimationFrame(move);
}

/** The view that is `factor` closer with the map under (x, y) staying there. */
function closer(factor, x, y) {
  const [mx, my] = onMap(x, y), { width, height } = size();
  const scale = bounded({ ...view, scale: view.scale * factor }).scale;
  return { x: mx - (x - width / 2) / scale, y: my + (y - height / 2) / scale, scale };
}

function zoomBy(factor) {
  const { right, bottom } = room();
  fly(closer(factor, right / 2, bottom / 2));
}

/** Brings a document into the middle, close enough to see what is around it, and shows its card. */
function goTo(place) {
  const { width, height, right, bottom } = room(), least = fitted().scale;
  const scale = Math.max(view.scale, map.count > 500 ? 3 * least : least);
  hovered = place;
  pinned = -1;
  const [x, y] = [map.positions[2 * place], map.positions[2 * place + 1]];
  fly({ x: x + (width - right) / 2 / scale, y: y + (bottom - height) / 2 / scale, scale });
  showCard();
  at("live").textContent = readTexts().titles[place];
}

function inkChanged() {
  inkStale = true;
  drawPoints();
}

function drawPoints() {
  pointsStale = true;
  draw();
}

/** While the view moves, every how many-th point is drawn: more on slow machines, so that the map follows the hand. */
function thinning() {
  const now = performance.now(), gap = now - pace.drawn;
  pace.drawn = now;
  if (!pace.moving) return 1;
  pace.moving = false;
  pace.quick = gap < 20 ? pace.quick + 1 : 0;
  if (gap > 45 && gap < 400 && map.count / pace.every > 5000) pace.every = Math.min(16, pace.every * 2);
  if (pace.quick > 15) [pace.every, pace.quick] = [Math.max(1, pace.every / 2), 0]; // rarely, since each change shimmers
  return pace.every;
}

function draw() {
  if (!asked) asked = requestAnimationFrame(drawNow);
}

function drawNow() {
  asked = 0;
  const { width, height } = size(), ratio = Math.min(2, devicePixelRatio || 1);
  for (const canvas of [at("points"), at("ink")]) {
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width === across && canvas.height === down) continue;
    Object.assign(canvas, { width: across, height: down }); // which also empties it
    pointsStale = true;
  }
  const frame = { width, height, ratio, ...view, radius: radius() };
  if (pointsStale) paintPoints(frame);
  drawInk(frame);
  placeCard();
}

function paintPoints(frame) {
  const part = (colour) => channels(colour).map((value) => value / 255);
  if (inkStale && groups) {
    painter.ink(ink, fillInk(ink, matches && new Set(matches)));
    inkStale = false;
  }
  pace.shown = thinning();
  painter.paint({ ...frame, ground: part(look().ground), accent: part(look().accent), every: pace.shown });
  clearTimeout(pace.rest);
  pace.rest = pace.shown > 1 ? setTimeout(rest, 150) : 0;
  pointsStale = false;
}

function drawInk(frame) {
  const pen = at("ink").getContext("2d");
  pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
  pen.clearRect(0, 0, frame.width, frame.height);
  labelsDrawn = drawLabels(pen, frame, closeness(), look(), matches || kept.size);
  for (const place of new Set([hovered, pinned])) if (place >= 0) ring(pen, place, frame.radius);
}

function ring(pen, place, own) {
  const [x, y] = onScreen(place);
  for (const [wide, colour] of [[5, look().ground], [2.5, look().accent]]) {
    pen.lineWidth = wide;
    pen.strokeStyle = colour;
    pen.beginPath();
    pen.arc(x, y, Math.max(own, 3) + 4, 0, 7);
    pen.stroke();
  }
}

/** The graphics card where there is one, otherwise a plain canvas; also when the card is lost later. */
function choosePainter() {
  try {
    painter = new CardPainter(at("points"), map.positions);
    at("points").addEventListener("webglcontextlost", plainPainter, { once: true });
  } catch {
    plainPainter();
  }
}

function plainPainter() {
  const fresh = at("points").cloneNode(); // a canvas that once had a card's context gets no other
  at("points").replaceWith(fresh);
  painter = new PlainPainter(fresh, map.positions);
  inkChanged();
}

// The names of clusters on the map: coarser from afar, finer close up, never one over another.

const LABEL_FONT = '600 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", "Malgun Gothic", "Apple SD Gothic Neo", "NanumGothic", sans-serif';
const MOST_LETTERS = 42;
const FEW = 2000;

for (const level of map.levels) {
  level.sort((one, other) => other.size - one.size);
  for (const label of level) if (label.text.length > MOST_LETTERS) label.text = label.text.slice(0, MOST_LETTERS - 1) + "…";
}

/** The level for how close the view is: the next one each time the map is twice as large. */
function levelAt(closeness) {
  return Math.max(0, Math.min(map.levels.length - 1, Math.floor(Math.log2(closeness * 1.15))));
}

/** The labels that find room, the largest first. Those just outside take room too, so that none jumps while panning. */
function placeLabels(pen, frame, closeness) {
  const placed = [], boxes = [];
  const lift = map.count < FEW ? frame.radius + 10 : 0; // few points would be hidden by a name on top of them
  for (const label of map.levels[levelAt(closeness)] || []) {
    const x = frame.width / 2 + (label.x - frame.x) * frame.scale;
    const y = frame.height / 2 - (label.y - frame.y) * frame.scale - lift;
    if (x < -400 || y < -200 || x > frame.width + 400 || y > frame.height + 200) continue;
    if (label.width === undefined) label.width = pen.measureText(label.text).width;
    const half = label.width / 2 + 5;
    if (boxes.some((box) => Math.abs(box.x - x) < box.half + half && Math.abs(box.y - y) < 20)) continue;
    boxes.push({ x, y, half });
    placed.push({ text: label.text, x, y, half });
  }
  return placed;
}

function drawLabels(pen, frame, closeness, colours, quiet) {
  pen.font = LABEL_FONT;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = colours.ground;
  pen.fillStyle = colours.ink;
  pen.globalAlpha = quiet ? 0.55 : 1;
  const placed = placeLabels(pen, frame, closeness);
  for (const label of placed) {
    pen.strokeText(label.text, label.x, label.y);
    pen.fillText(label.text, label.x, label.y);
  }
  pen.globalAlpha = 1;
  return placed;
}

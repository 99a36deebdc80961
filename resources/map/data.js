// The map as typed arrays, and the texts, which are read after the first picture.

function bytes(text) {
  const binary = atob(text);
  const found = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) found[place] = binary.charCodeAt(place);
  return found.buffer;
}

function readMap() {
  const map = JSON.parse(at("map-data").textContent);
  map.positions = new Float32Array(bytes(map.positions)); // x, y, x, y, ...
  map.clusters = new Int32Array(bytes(map.clusters));
  map.trust = new Float32Array(bytes(map.trust));
  for (const column of map.columns) {
    const buffer = bytes(column.values);
    column.values = column.kind === "text" ? new Int32Array(buffer) : new Float64Array(buffer);
  }
  return map;
}

const map = readMap();
let texts = null;
let lowered = null;

function readTexts() {
  if (!texts) {
    texts = JSON.parse(at("map-texts").textContent);
    at("map-texts").remove();
  }
  return texts;
}

/** Titles and texts in the form in which they are searched. */
function searchable() {
  if (!lowered) {
    const { titles, snippets } = readTexts();
    lowered = titles.map((title, place) => (title + "\n" + snippets[place]).toLowerCase());
  }
  return lowered;
}

/** Finds the point nearest to a place: points are sorted into square cells once. */
class Grid {
  constructor(positions) {
    const count = positions.length / 2;
    this.positions = positions;
    this.side = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(count / 3))));
    this.starts = new Uint32Array(this.side * this.side + 1);
    this.order = new Uint32Array(count);
    const cells = new Uint32Array(count);
    for (let place = 0; place < count; place++) {
      cells[place] = this.row(positions[2 * place + 1]) * this.side + this.row(positions[2 * place]);
      this.starts[cells[place] + 1]++;
    }
    for (let cell = 0; cell < this.side * this.side; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    for (let place = 0; place < count; place++) this.order[next[cells[place]]++] = place;
  }

  row(value) { // positions lie within -1..1
    return Math.max(0, Math.min(this.side - 1, Math.floor(((value + 1) / 2) * this.side)));
  }

  /** Calls `visit` with each point of the cells that a rectangle touches. */
  within(left, low, right, high, visit) {
    const last = this.row(right);
    for (let down = this.row(low); down <= this.row(high); down++) {
      for (let across = this.row(left); across <= last; across++) {
        const cell = down * this.side + across;
        for (let place = this.starts[cell]; place < this.starts[cell + 1]; place++) visit(this.order[place]);
      }
    }
  }

  /** The point nearest to (x, y) within `reach`, or -1; those of a higher `rank` come first. */
  nearest(x, y, reach, rank) {
    let best = -1, bestRank = -1, bestFar = reach * reach;
    this.within(x - reach, y - reach, x + reach, y + reach, (place) => {
      const far = (this.positions[2 * place] - x) ** 2 + (this.positions[2 * place + 1] - y) ** 2;
      const own = rank[4 * place + 3];
      if (far > reach * reach || own < bestRank || (own === bestRank && far > bestFar)) return;
      [best, bestRank, bestFar] = [place, own, far];
    });
    return best;
  }
}

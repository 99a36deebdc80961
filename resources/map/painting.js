// Two ways to paint the points: by the graphics card, or on a plain canvas where there is none.
// Both are given ink (red, green, blue, state a point) and a frame. States: context, shown, found.

const CONTEXT = 0, SHOWN = 1, FOUND = 2;
const HALO = 2.6; // a found point's glow, in radii

const VERTEX = `
attribute vec2 place; attribute vec4 ink;
uniform vec2 middle, scale; uniform float size, least; uniform mediump float state;
varying vec3 colour; varying float width;
void main() {
  float own = floor(ink.a * 255.0 + 0.5);
  bool drawn = own == state;
  width = max(size, least) * (state == 2.0 ? ${HALO.toFixed(1)} : state == 0.0 ? 0.85 : 1.0);
  gl_Position = drawn ? vec4((place - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = width;
  colour = ink.rgb;
}`;
const FRAGMENT = `
precision mediump float;
varying vec3 colour; varying float width;
uniform mediump float state; uniform float opacity; uniform vec3 accent;
void main() {
  float far = length(gl_PointCoord - 0.5) * 2.0;
  if (state == 2.0) {
    float core = 1.0 - smoothstep(1.0 / ${HALO.toFixed(1)} - 1.0 / width, 1.0 / ${HALO.toFixed(1)} + 1.0 / width, far);
    float glow = 0.45 * pow(max(0.0, 1.0 - far), 1.2);
    gl_FragColor = vec4(mix(accent * glow, colour, core), max(core, glow));
  } else {
    float cover = (1.0 - smoothstep(1.0 - 2.0 / width, 1.0, far)) * opacity;
    gl_FragColor = vec4(colour * cover, cover);
  }
}`;

class CardPainter {
  /** Raises an error where the browser has no WebGL. */
  constructor(canvas, positions) {
    const gl = canvas.getContext("webgl", { antialias: false, alpha: false, depth: false });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    this.count = positions.length / 2;
    this.program = this.build();
    gl.useProgram(this.program);
    this.uniforms = {};
    for (const name of ["middle", "scale", "size", "state", "opacity", "accent", "least"]) this.uniforms[name] = gl.getUniformLocation(this.program, name);
    this.places = this.attach("place", positions, gl.STATIC_DRAW);
    this.inks = this.attach("ink", new Uint8Array(4 * this.count), gl.DYNAMIC_DRAW);
    this.states = [SHOWN];
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  build() {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  attach(name, values, use) {
    const gl = this.gl, buffer = gl.createBuffer(), place = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, use);
    gl.enableVertexAttribArray(place);
    return { buffer, place };
  }

  /** Draws every `every`-th point; a stride of at most 255 bytes is all that WebGL takes. */
  draw(every) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places.buffer);
    gl.vertexAttribPointer(this.places.place, 2, gl.FLOAT, false, 8 * every, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.inks.buffer);
    gl.vertexAttribPointer(this.inks.place, 4, gl.UNSIGNED_BYTE, true, 4 * every, 0);
    gl.drawArrays(gl.POINTS, 0, Math.ceil(this.count / every));
  }

  ink(values, states) {
    this.states = states;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.inks.buffer);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, values);
  }

  paint(frame) {
    const gl = this.gl, own = this.uniforms;
    gl.viewport(0, 0, frame.width * frame.ratio, frame.height * frame.ratio);
    gl.clearColor(...frame.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(own.middle, frame.x, frame.y);
    gl.uniform2f(own.scale, (2 * frame.scale) / frame.width, (2 * frame.scale) / frame.height);
    gl.uniform3f(own.accent, ...frame.accent);
    for (const state of this.states) {
      gl.uniform1f(own.size, 2 * frame.radius * frame.ratio);
      gl.uniform1f(own.least, (state === FOUND ? 5 : 2) * frame.ratio);
      gl.uniform1f(own.state, state);
      gl.uniform1f(own.opacity, state === CONTEXT ? 0.55 : 0.85);
      this.draw(state === FOUND ? 1 : frame.every);
    }
  }
}

class PlainPainter {
  constructor(canvas, positions) {
    this.context = canvas.getContext("2d", { alpha: false });
    this.positions = positions;
    this.states = [SHOWN];
  }

  /** Sorts the points by colour and state, so that each colour is filled in one go. */
  ink(values, states) {
    this.states = states;
    this.heaps = new Map();
    for (let place = 0; place < values.length; place += 4) {
      const key = (values[place + 3] << 24) | (values[place] << 16) | (values[place + 1] << 8) | values[place + 2];
      if (!this.heaps.has(key)) this.heaps.set(key, []);
      this.heaps.get(key).push(place / 4);
    }
  }

  paint(frame) {
    const pen = this.context;
    pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    pen.globalAlpha = 1;
    pen.fillStyle = css(frame.ground.map((part) => part * 255));
    pen.fillRect(0, 0, frame.width, frame.height);
    for (const state of this.states) {
      for (const [key, heap] of this.heaps || []) {
        if (key >>> 24 !== state) continue;
        const radius = Math.max(frame.radius, state === FOUND ? 2.5 : 1) * (state === CONTEXT ? 0.85 : 1);
        if (state === FOUND) this.fill(heap, frame, radius * HALO * 0.7, css(frame.accent.map((part) => part * 255)), 0.25, 1);
        this.fill(heap, frame, radius, css([(key >> 16) & 255, (key >> 8) & 255, key & 255]), state === CONTEXT ? 0.55 : 0.85, state === FOUND ? 1 : frame.every);
      }
    }
  }

  fill(heap, frame, radius, colour, opacity, every) {
    const pen = this.context, square = radius < 1.8;
    pen.fillStyle = colour;
    pen.globalAlpha = opacity;
    pen.beginPath();
    for (let own = 0; own < heap.length; own += every) {
      const place = heap[own];
      const x = frame.width / 2 + (this.positions[2 * place] - frame.x) * frame.scale;
      const y = frame.height / 2 - (this.positions[2 * place + 1] - frame.y) * frame.scale;
      if (x < -radius || y < -radius || x > frame.width + radius || y > frame.height + radius) continue;
      if (square) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else { pen.moveTo(x + radius, y); pen.arc(x, y, radius, 0, 7); }
    }
    pen.fill();
  }
}

const css = (parts) => `rgb(${parts.map(Math.round).join(" ")})`;
const channels = (colour) => [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));

// Runs in a page: draws a harbour in the evening, at a moment of it, so that the pictures of the README show a video of the project's own.

const TAU = Math.PI * 2
const SECONDS = 8

/** The same numbers for the same seed, from 0 to 1. */
function randomsOf(seed) {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}

function lampOf(context, x, y, radius, colour, alpha) {
  const glow = context.createRadialGradient(x, y, 0, x, y, radius)
  glow.addColorStop(0, `rgb(${colour} / ${alpha})`)
  glow.addColorStop(0.25, `rgb(${colour} / ${alpha * 0.35})`)
  glow.addColorStop(1, `rgb(${colour} / 0)`)
  context.fillStyle = glow
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2)
}

function verticalOf(context, from, to, ...colours) {
  const gradient = context.createLinearGradient(0, from, 0, to)
  colours.forEach(([at, colour]) => {
    gradient.addColorStop(at, colour)
  })
  return gradient
}

/** A ridge of hills from `left` to `right`, as sums of waves. */
function ridgeOf(context, { width, base, height, seed, shift, fill }) {
  const random = randomsOf(seed)
  const waves = Array.from({ length: 7 }, (_, at) => ({
    length: (0.9 * width) / 1.8 ** at,
    height: height / 1.75 ** at,
    phase: random() * TAU,
  }))
  context.beginPath()
  context.moveTo(0, base)
  for (let x = 0; x <= width; x += 2) {
    const y = waves.reduce(
      (sum, { length, height, phase }) => sum + height * Math.sin(((x + shift) / length) * TAU + phase),
      0,
    )
    context.lineTo(x, base - height * 1.15 - y)
  }
  context.lineTo(width, base)
  context.closePath()
  context.fillStyle = fill
  context.fill()
}

function drawSky(context, { width, horizon, time, sun, unit }) {
  context.fillStyle = verticalOf(
    context,
    0,
    horizon,
    [0, '#131a3d'],
    [0.3, '#36306a'],
    [0.56, '#8a4577'],
    [0.78, '#dc6c5f'],
    [0.93, '#f8a765'],
    [1, '#ffc880'],
  )
  context.fillRect(0, 0, width, horizon)
  const random = randomsOf(7)
  for (let star = 0; star < 130; star += 1) {
    const [x, y, size, phase] = [random() * width, random() * horizon * 0.5, random(), random() * TAU]
    const seen = (1 - y / (horizon * 0.55)) * (0.55 + 0.45 * Math.sin(time * (1 + size * 2) + phase))
    context.fillStyle = `rgb(255 246 228 / ${Math.max(0, seen) * (0.35 + 0.65 * size)})`
    context.beginPath()
    context.arc(x, y, unit * (0.7 + size * 1.1), 0, TAU)
    context.fill()
  }
  lampOf(context, sun.x, sun.y, unit * 520, '255 176 108', 0.55)
  lampOf(context, sun.x, sun.y, unit * 200, '255 226 170', 0.75)
  context.fillStyle = '#fff3d2'
  context.beginPath()
  context.arc(sun.x, sun.y, unit * 40, 0, TAU)
  context.fill()
  drawClouds(context, { width, horizon, time, unit })
}

function drawClouds(context, { width, horizon, time, unit }) {
  const random = randomsOf(23)
  for (let cloud = 0; cloud < 9; cloud += 1) {
    const depth = random()
    const way = width * 1.5
    const x = ((random() * way + time * unit * (3 + depth * 6)) % way) - width * 0.25
    const y = horizon * (0.4 + depth * 0.44)
    for (let puff = 0; puff < 16; puff += 1) {
      const [right, down] = [(random() - 0.5) * unit * 330, (random() - 0.5) * unit * 15]
      const [across, high] = [unit * (60 + random() * 90), unit * (4 + random() * 9)]
      context.save()
      context.translate(x + right, y + down)
      context.scale(1, high / across)
      lampOf(context, 0, 0, across, depth > 0.45 ? '255 178 132' : '176 116 160', 0.26)
      context.restore()
    }
  }
}

function drawSea(context, { width, height, horizon, time, sun, unit }) {
  const deep = height - horizon
  context.fillStyle = verticalOf(
    context,
    horizon,
    height,
    [0, '#f0a06d'],
    [0.07, '#c26c71'],
    [0.28, '#72487a'],
    [0.62, '#2f2c5a'],
    [1, '#11183a'],
  )
  context.fillRect(0, horizon, width, deep)
  const random = randomsOf(51)
  for (let wave = 0; wave < 520; wave += 1) {
    const near = random() ** 1.7
    const y = horizon + near * deep
    const long = unit * (10 + near * 120) * (0.5 + random())
    const x = (random() * width * 1.3 + Math.sin(time * 0.9 + wave) * unit * 10 * near) % (width * 1.3)
    const lift = Math.sin(time * 1.6 + wave * 1.7) * unit * 2.4 * near
    const light = 0.5 + 0.5 * Math.sin(time * 1.9 + wave * 2.3)
    const isLit = random() > 0.45
    context.fillStyle = isLit ? `rgb(255 176 140 / ${0.14 * light})` : `rgb(12 14 44 / ${0.2 * light})`
    context.beginPath()
    context.ellipse(x - width * 0.15, y + lift, long / 2, unit * (0.5 + near * 2.6), 0, 0, TAU)
    context.fill()
  }
  drawGlitter(context, { horizon, deep, time, sun, unit })
}

/** The sun on the water. */
function drawGlitter(context, { horizon, deep, time, sun, unit }) {
  const random = randomsOf(91)
  for (let spark = 0; spark < 340; spark += 1) {
    const near = random() ** 1.5
    const spread = unit * (24 + near * 165)
    const x = sun.x + (random() + random() - 1) * spread
    const y = horizon + near * deep * 0.86
    const light = Math.max(0, Math.sin(time * (2 + random() * 2.5) + random() * TAU)) * (1 - near * 0.62)
    context.fillStyle = `rgb(255 ${Math.round(222 - near * 50)} ${Math.round(160 - near * 50)} / ${0.85 * light})`
    context.beginPath()
    context.ellipse(x, y, unit * (5 + near * 24), unit * (0.8 + near * 1.8), 0, 0, TAU)
    context.fill()
  }
}

function drawBoat(context, { x, y, time, size }) {
  const rock = Math.sin(time * 1.5) * 0.045
  for (const isMirrored of [true, false]) {
    context.save()
    context.translate(x, y + Math.sin(time * 1.5 + 0.6) * size * 0.02)
    context.rotate(isMirrored ? -rock : rock)
    context.scale(size, isMirrored ? -size * 0.72 : size)
    context.globalAlpha = isMirrored ? 0.3 : 1
    const sail = context.createLinearGradient(-0.4, 0, 0.5, 0)
    sail.addColorStop(0, '#5a2f4d')
    sail.addColorStop(0.5, '#f6d3ab')
    sail.addColorStop(1, '#fff1d8')
    context.fillStyle = sail
    const belly = 0.045 * Math.sin(time * 1.1)
    context.beginPath()
    context.moveTo(0.03, -1.32)
    context.quadraticCurveTo(0.42 + belly, -0.72, 0.6, -0.24)
    context.lineTo(0.03, -0.2)
    context.closePath()
    context.fill()
    context.fillStyle = '#c98d80'
    context.beginPath()
    context.moveTo(-0.03, -1.2)
    context.quadraticCurveTo(-0.3 + belly, -0.66, -0.46, -0.2)
    context.lineTo(-0.03, -0.2)
    context.closePath()
    context.fill()
    context.fillStyle = '#201430'
    context.fillRect(-0.015, -1.38, 0.03, 1.26)
    context.beginPath()
    context.moveTo(-0.62, -0.14)
    context.lineTo(0.74, -0.17)
    context.quadraticCurveTo(0.6, 0.05, 0.4, 0.07)
    context.lineTo(-0.42, 0.07)
    context.quadraticCurveTo(-0.56, 0.02, -0.62, -0.14)
    context.closePath()
    context.fill()
    context.fillStyle = '#ffd28a'
    context.beginPath()
    context.arc(-0.5, -0.24, 0.035, 0, TAU)
    context.fill()
    context.restore()
  }
  lampOf(context, x - size * 0.5, y - size * 0.24, size * 0.3, '255 196 110', 0.8)
}

/** The town on the other shore, and its lights on the water. */
function drawTown(context, { width, horizon, time, unit, shift }) {
  const random = randomsOf(133)
  for (let lamp = 0; lamp < 46; lamp += 1) {
    const x = width * (0.62 + random() * 0.42) - shift
    const y = horizon - unit * (3 + random() * 30)
    const light = 0.72 + 0.28 * Math.sin(time * (2 + random() * 3) + lamp)
    const size = unit * (0.9 + random() * 1.1)
    context.fillStyle = `rgb(255 ${205 + Math.round(random() * 40)} ${130 + Math.round(random() * 70)} / ${light})`
    context.fillRect(x - size, y - size, size * 2, size * 2)
    lampOf(context, x, y, unit * 11, '255 200 120', 0.4 * light)
    for (let part = 0; part < 8; part += 1) {
      const sway = Math.sin(time * 2.4 + part * 1.3 + lamp) * unit * (1 + part * 0.7)
      context.fillStyle = `rgb(255 206 132 / ${(0.34 - part * 0.04) * light})`
      context.fillRect(x - unit * 2 + sway, horizon + unit * (4 + part * 7), unit * 4, unit * 1.6)
    }
  }
}

/** Paper lanterns that rise. */
function drawLanterns(context, { width, height, time, unit, shift }) {
  const random = randomsOf(211)
  const lanterns = Array.from({ length: 26 }, () => ({
    near: random() ** 2.1,
    across: random(),
    begins: random(),
    phase: random() * TAU,
  })).sort((one, other) => one.near - other.near)
  for (const { near, across, begins, phase } of lanterns) {
    const size = unit * (7 + near * 46)
    const way = height * 1.1 + size * 4
    const y = height * 0.93 - ((begins * way + time * unit * (9 + near * 34)) % way) + size
    const x =
      width * (across * 1.1 - 0.05) - shift * (0.6 + near * 2.4) + Math.sin(time * 0.8 + phase) * size * 0.28
    const light = 0.86 + 0.14 * Math.sin(time * 7 + phase * 3) * Math.sin(time * 3.1 + phase)
    lampOf(context, x, y, size * 2.9, '255 158 66', 0.5 * light)
    context.save()
    context.translate(x, y)
    context.rotate(Math.sin(time * 0.9 + phase) * 0.07)
    context.scale(size, size)
    const paper = verticalOf(
      context,
      -0.66,
      0.56,
      [0, '#b2452a'],
      [0.45, '#f28a3c'],
      [0.82, '#ffd68a'],
      [1, '#fff2c8'],
    )
    context.fillStyle = paper
    context.globalAlpha = 0.82 + 0.18 * light
    context.beginPath()
    context.moveTo(-0.34, 0.54)
    context.bezierCurveTo(-0.6, -0.1, -0.52, -0.66, 0, -0.68)
    context.bezierCurveTo(0.52, -0.66, 0.6, -0.1, 0.34, 0.54)
    context.quadraticCurveTo(0, 0.64, -0.34, 0.54)
    context.fill()
    context.fillStyle = 'rgb(122 40 22 / 40%)'
    for (const rib of [-0.26, 0.02, 0.3]) context.fillRect(-0.46, rib, 0.92, 0.018)
    context.restore()
    lampOf(context, x, y + size * 0.42, size * 0.5, '255 246 206', 0.9 * light)
  }
}

/** A jetty with two people and their lamp, close by. */
function drawJetty(context, { height, time, unit, shift }) {
  context.fillStyle = '#0a0c20'
  const left = -shift * 2.2
  const deck = height - unit * 64
  context.fillRect(left - unit * 60, deck, unit * 430, unit * 13)
  for (const post of [40, 150, 260, 350]) {
    context.fillRect(left + unit * post, deck - unit * 6, unit * 9, unit * 90)
  }
  for (const [at, tall] of [
    [196, 92],
    [234, 76],
  ]) {
    const [x, sway] = [left + unit * at, Math.sin(time * 0.9 + at) * unit * 1.2]
    const [top, wide] = [deck - unit * tall, unit * tall * 0.21]
    context.beginPath()
    context.ellipse(x + sway, top, unit * 8.5, unit * 10, 0, 0, TAU)
    context.fill()
    context.fillRect(x + sway - unit * 3.5, top, unit * 7, unit * 18)
    context.beginPath()
    context.moveTo(x - wide * 0.8, deck)
    context.bezierCurveTo(
      x - wide * 0.62,
      deck - unit * 36,
      x - wide * 1.5 + sway,
      top + unit * 12,
      x + sway,
      top + unit * 11,
    )
    context.bezierCurveTo(
      x + wide * 1.5 + sway,
      top + unit * 12,
      x + wide * 0.62,
      deck - unit * 36,
      x + wide * 0.8,
      deck,
    )
    context.fill()
  }
  const [x, y] = [left + unit * 314, deck - unit * 15]
  context.fillRect(x - unit * 8, y - unit * 15, unit * 16, unit * 4)
  const light = 0.9 + 0.1 * Math.sin(time * 9) * Math.sin(time * 4)
  context.fillStyle = '#ffe2a0'
  context.fillRect(x - unit * 6, y - unit * 11, unit * 12, unit * 22)
  lampOf(context, x, y, unit * 96, '255 184 92', 0.62 * light)
}

/** What a lens and a sensor add: darker corners, and grain. */
function drawFilm(context, { width, height, grain, time }) {
  const corner = context.createRadialGradient(
    width / 2,
    height * 0.52,
    Math.min(width, height) * 0.42,
    width / 2,
    height / 2,
    Math.hypot(width, height) * 0.6,
  )
  corner.addColorStop(0, 'rgb(6 6 24 / 0)')
  corner.addColorStop(1, 'rgb(6 6 24 / 46%)')
  context.fillStyle = corner
  context.fillRect(0, 0, width, height)
  const random = randomsOf(1 + Math.round(time * 30))
  context.globalCompositeOperation = 'overlay'
  context.globalAlpha = 0.1
  const [x, y] = [-random() * 256, -random() * 256]
  for (let down = y; down < height; down += 256) {
    for (let right = x; right < width; right += 256) context.drawImage(grain, right, down)
  }
  context.globalCompositeOperation = 'source-over'
  context.globalAlpha = 1
}

function grainOf() {
  const grain = new OffscreenCanvas(256, 256)
  const context = grain.getContext('2d')
  const pixels = context.createImageData(256, 256)
  const random = randomsOf(3)
  for (let at = 0; at < pixels.data.length; at += 4) {
    const grey = 60 + random() * 136
    pixels.data.set([grey, grey, grey, 255], at)
  }
  context.putImageData(pixels, 0, 0)
  return grain
}

const grain = grainOf()

/** The picture at so many seconds, as a JPEG in base64. */
globalThis.drawHarbour = async (width, height, time) => {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  const unit = Math.max(width / 1280, height / 1000)
  const horizon = height * 0.6
  // The camera goes slowly to the right, and what is near passes it faster.
  const shift = (time / SECONDS - 0.5) * unit * 60
  const sun = { x: width * 0.4 - shift * 0.1, y: horizon - unit * (34 - time * 4) }
  const view = { width, height, horizon, time, sun, unit, shift }
  drawSky(context, view)
  ridgeOf(context, {
    width,
    base: horizon + 1,
    height: unit * 34,
    seed: 5,
    shift: shift * 0.15,
    fill: 'rgb(122 66 112 / 75%)',
  })
  ridgeOf(context, {
    width,
    base: horizon + 1,
    height: unit * 19,
    seed: 12,
    shift: shift * 0.3 + 300,
    fill: '#4a2f5e',
  })
  drawSea(context, view)
  drawTown(context, { ...view, shift: shift * 0.4 })
  drawBoat(context, {
    x: width * 0.52 + unit * (time * 13) - shift * 0.7,
    y: horizon + unit * 62,
    time,
    size: unit * 98,
  })
  drawLanterns(context, view)
  drawJetty(context, view)
  drawFilm(context, { ...view, grain })
  const bytes = new Uint8Array(
    await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.96 })).arrayBuffer(),
  )
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

import { copyFile, readFile } from 'node:fs/promises'
import { type Box, childrenOf, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { B_FRAMES, X264 } from '#support/media/containers'
import { mediaFolderOfSuite } from '#support/media/media'
import { createMediaTools, refusalOf } from '#support/media/mediaTools'
import { frequencyOf, onsetsOf, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

// Which tracks of a file are meant, and which part of them.

const test = suite('tracks and edits of uploads', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const FIXTURES = 'tests/fixtures/media'
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, at) => first + at)
const window = (from: number, to: number) => ({ window: { from, to, mustFit: false } })

/** The boxes of each track, as views of the file's bytes. */
function tracksOf(bytes: Uint8Array): (readonly Box[])[] {
  const moov = childrenOf(readBoxes(bytes) ?? [], 'moov')
  return moov.filter(({ type }) => type === 'trak').map(({ body }) => readBoxes(body) ?? [])
}

function bodyOf(boxes: readonly Box[], ...path: string[]): Uint8Array {
  const [last = '', ...parents] = path.reverse()
  const body = onlyBox(parents.reverse().reduce(childrenOf, boxes), last)?.body
  assert.ok(body, last)
  return body ?? new Uint8Array()
}

const switchOn = (track: readonly Box[], isOn: boolean) => bodyOf(track, 'tkhd').set([isOn ? 3 : 2], 3)
const rename = (track: readonly Box[], codec: string) =>
  bodyOf(track, 'mdia', 'minf', 'stbl', 'stsd').set(new TextEncoder().encode(codec), 12)

function changed(from: string, name: string, change: (...tracks: (readonly Box[])[]) => void) {
  return media.patch(from, name, (bytes) => {
    change(...tracksOf(bytes))
    return bytes
  })
}

/** Sixty numbered pictures and two sounds, of which the second one is switched off. */
async function original(): Promise<string> {
  const tones = [440, 880].flatMap((hertz) => ['-f', 'lavfi', '-i', `sine=${hertz}:duration=2`])
  const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:a', '-c:a', 'aac']
  return makeCoded(media, 'original.mp4', [60], [...tones, ...maps, ...B_FRAMES])
}
const whole = await original()

/** The original with other pictures in front of it, in any container. */
async function behind(name: string, first: string, args: readonly string[] = []): Promise<string> {
  // Elsewhere the sound begins before the pictures.
  const sound = /\.(mp4|mov)$/.test(name) && !args.includes('-movflags') ? ['-map', '1:a:0'] : []
  const maps = ['-map', '0:v', '-map', '1:v', ...sound, '-c', 'copy']
  return media.make(name, ['-i', first, '-i', whole, ...maps, ...args])
}
const small = await media.make('small.mp4', ['-f', 'lavfi', '-i', 'color=red:s=64x48:d=2', ...X264])
const large = '-f lavfi -i color=red:s=640x480 -frames:v 1'.split(' ')
const still = await media.make('still.mp4', [...large, ...X264])
const jpeg = await media.make('still.mov', [...large, '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'])

const VIDEOS: Readonly<Record<string, () => Promise<string>>> = {
  'a smaller one first, in MP4': () => behind('a.mp4', small),
  'a smaller one first, in a transport stream': () => behind('c.ts', small),
  'a larger single picture first, in MP4': () => behind('d.mp4', still),
  'a larger single picture first, in MKV': () => behind('f.mkv', still),
  'a larger single picture first, in fragments': () =>
    behind('g.mp4', still, ['-movflags', 'frag_keyframe+empty_moov']),
  'a cover first': () => behind('h.mp4', jpeg, ['-disposition:v:0', 'attached_pic']),
}
for (const [which, make] of Object.entries(VIDEOS)) {
  test(`of several videos the largest that moves is taken: ${which}`, async () => {
    const made = await tools.prepare(await make())
    assert.equal([made.width, made.height], [192, 48])
    const shown = await readNumbers(made.path)
    // In fragments the delay of B-frames is not taken back: the first picture is held.
    assert.equal([...new Set(shown)], numbers(60))
    const request = { start: 0.5, end: 1.5, cover: 1 }
    const shot = await tools.shoot(made, request, { quality: 'source' })
    assert.equal(await readNumbers(shot.path), [shown[30]])
    assert.equal(await readNumbers(shot.clip), numbers(30, shown[15]))
  })
}

test('a video that is switched off is not taken, however large; where all are off, all count', async () => {
  const both = await behind('both.mp4', small)
  const off = (name: string, isOn: boolean) =>
    changed(both, name, (first = [], second = []) => {
      switchOn(first, isOn)
      switchOn(second, false)
    })
  assert.is((await tools.prepare(await off('first.mp4', true))).width, 64)
  assert.is((await tools.prepare(await off('none.mp4', false))).width, 192)
  const first = await tools.prepare(`${FIXTURES}/first-video-track-disabled.mp4`, window(1, 3))
  assert.equal([first.width, first.height, first.frames], [320, 180, 60])
})

test('the first sound that is switched on and can be decoded is heard', async () => {
  const toneOf = async (path: string) =>
    frequencyOf((await soundOf((await tools.prepare(path)).path)).slice(0, 48_000))
  const heard = async (name: string, change: Parameters<typeof changed>[2]) =>
    Math.round((await toneOf(await changed(whole, name, change))) / 440)
  assert.is(await heard('as-it-is.mp4', () => undefined), 1)
  const swapped = await heard('swapped.mp4', (_, one = [], two = []) => {
    switchOn(one, false)
    switchOn(two, true)
  })
  assert.is(swapped, 2)
  const cases = await tools.prepare(`${FIXTURES}/unknown-audio-first.mov`)
  assert.equal(onsetsOf(await soundOf(cases.path)).map(Math.round), [0, 1, 2, 3])
  const german = ['-disposition:a:0', '0', '-disposition:a:1', 'default']
  const mkv = await media.make('two.mkv', ['-i', whole, '-map', '0', '-c', 'copy', ...german])
  assert.is(Math.round((await toneOf(mkv)) / 440), 2, 'the one that Matroska calls the default')
})

test('sound that an edit list leaves out is not heard', async () => {
  const made = await tools.prepare(`${FIXTURES}/two-edits-aac.mp4`)
  assert.is(made.frames, 90)
  const range = { start: 0.37, end: 2.21, cover: 1 }
  for (const quality of ['preview', 'source'] as const) {
    const { clip } = await tools.shoot(made, range, { quality })
    const sound = await soundOf(clip)
    const onsets = onsetsOf(sound)
    assert.is(onsets.length, 2, String(onsets))
    const [first = 0, second = 0] = onsets
    assert.ok(Math.abs(first - 0.63) < 0.02 && Math.abs(second - 1.63) < 0.02, String(onsets))
    assert.ok(sound.length / SAMPLE_RATE < 1.9)
  }
})

test('an edit of duration 0 lasts for the rest of its track, in pictures, sound, cover and copied clip', async () => {
  const open = (track: readonly Box[]) => bodyOf(track, 'edts', 'elst').fill(0, 8, 12)
  const upload = await changed(whole, 'open.mp4', (...tracks) => tracks.forEach(open))
  const made = await tools.prepare(upload)
  assert.equal(await readNumbers(made.path), numbers(60))
  assert.ok(made.hasAudio)
  assert.is(made.sourceSeconds, 2)
  const shot = await tools.shoot(made, { start: 0.5, end: 1.5, cover: 1 }, { quality: 'source' })
  assert.equal(await readNumbers(shot.path), [30])
  assert.equal(await readNumbers(shot.clip), numbers(30, 15))
})

test('what a header says of the length is checked', async () => {
  const lying = (name: string, milliseconds: number) =>
    media.patch(whole, name, (bytes) => {
      bytes.writeUInt32BE(milliseconds, bytes.indexOf('mvhd') + 4 + 16)
      return bytes
    })
  for (const milliseconds of [0, 1, 500, 3_600_000]) {
    const made = await tools.prepare(await lying('lying.mp4', milliseconds), window(1, 1.5))
    assert.equal(await readNumbers(made.path), numbers(15, 30), `${milliseconds} ms`)
    assert.is(made.sourceSeconds, 2)
  }
  const mkv = await media.make('honest.mkv', ['-i', whole, '-map', '0:v', '-c', 'copy'])
  const short = await media.patch(mkv, 'short.mkv', (bytes) => {
    bytes.writeDoubleBE(500, bytes.indexOf(Buffer.of(0x44, 0x89, 0x88)) + 3)
    return bytes
  })
  const made = await tools.prepare(short, window(1, 1.5))
  assert.equal([made.frames, made.sourceSeconds], [15, undefined])
  assert.is((await tools.prepare(short)).sourceSeconds, 2, 'all of it was read')
})

test('a MOV that begins with another box than its type is read', async () => {
  for (const type of ['free', 'skip', 'wide']) {
    const upload = await media.patch(whole, `${type}.mov`, (bytes) => {
      bytes.write(type, 4, 'latin1')
      return bytes
    })
    assert.is((await tools.prepare(upload)).frames, 60, type)
  }
})

/** A Matroska file with an element instead of the title of its video. */
async function matroskaWith(name: string, element: Uint8Array): Promise<string> {
  const title = 'T'.repeat(element.length - 3)
  const args = ['-i', whole, '-map', '0:v', '-c', 'copy', '-metadata:s:v:0', `title=${title}`]
  return media.patch(await media.make(`plain-${name}`, args), name, (bytes) => {
    bytes.set(element, bytes.indexOf(title) - 3)
    return bytes
  })
}

const codec = (name: string, track: number) => () =>
  changed(whole, `${name}.mp4`, (...tracks) => rename(tracks[track] ?? [], name))
const ENCRYPTED: Readonly<Record<string, () => Promise<string>>> = {
  'Common Encryption': async () => {
    const path = media.path('cenc.mp4')
    await copyFile(`${FIXTURES}/encrypted-cenc.mp4`, path)
    return path
  },
  'Common Encryption in fragments': () => {
    const key = ['-encryption_key', '00'.repeat(16), '-encryption_kid', '11'.repeat(16)]
    const args = ['-encryption_scheme', 'cenc-aes-ctr', ...key, '-movflags', 'frag_keyframe+empty_moov']
    return media.make('fragments.mp4', ['-i', whole, '-c', 'copy', ...args])
  },
  'pictures of FairPlay': codec('drmi', 0),
  'sound of FairPlay': codec('drms', 1),
  Matroska: () => matroskaWith('encrypted.mkv', Buffer.from('6d808a62408750338101503580', 'hex')),
  'Matroska with the name of a key': () =>
    matroskaWith('key.mkv', Buffer.from('6d80956240925033810150358b47e1810547e28461626364', 'hex')),
}
for (const [what, make] of Object.entries(ENCRYPTED)) {
  test(`an encrypted file is named as such: ${what}`, async () => {
    const { status, detail } = await refusalOf(tools.prepare(await make()))
    assert.is(status, 415)
    assert.match(detail, /^The video is encrypted/)
  })
}

test('damaged in any place, such files are refused or show what is there', async () => {
  const upload = await readFile((await VIDEOS['a smaller one first, in MP4']?.()) ?? whole)
  const index = upload.indexOf('moov')
  for (let at = 0; at < 8; at += 1) {
    const bytes = Buffer.from(upload)
    for (let step = 0; step < 5; step += 1) {
      const place = index + ((at * 997 + step * 131) % (bytes.length - index))
      bytes.writeUInt8(bytes.readUInt8(place) ^ 0x5a, place)
    }
    const path = await media.write('damaged.mp4', bytes)
    const status = await tools.prepare(path).then(
      () => 200,
      async (error) => (await refusalOf(Promise.reject(error))).status,
    )
    assert.ok([200, 400, 413, 415].includes(status), `${at}: ${status}`)
  }
})

test.run()

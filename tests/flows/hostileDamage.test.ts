import { readFile } from 'node:fs/promises'
import { ServiceError } from '@lantern-room/base'
import { HTTP_STATUS } from '@lantern-room/base/http'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, type Prepared, refusalOf } from '#support/media/mediaTools'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('damaged uploads', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
// A changed time stamp may claim hours, of which each second is encoded.
const tools = createMediaTools(media, { limits: { maxInputSeconds: 10 } })
const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10'.split(' ')
const FRAMES = 60

/** A preview, or a refusal that blames the file and not the service. */
async function attempt(upload: string): Promise<Prepared | undefined> {
  try {
    return await tools.prepare(upload)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const status = HTTP_STATUS[error.code]
    assert.ok([400, 413, 415].includes(status), `${status}: ${error.detail}\n${JSON.stringify(error.cause)}`)
    return undefined
  }
}

async function whole(name: string, args: readonly string[]): Promise<string> {
  return makeCoded(media, name, [FRAMES], ['-f', 'lavfi', '-i', 'sine=d=2', ...args])
}

test('a few bytes, zeros, an archive and a program are refused', async () => {
  const files: Readonly<Record<string, Uint8Array>> = {
    'one byte': Uint8Array.of(0),
    'a box header': Buffer.from('\0\0\0\x18ftyp', 'latin1'),
    'only a file type': Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1'),
    zeros: new Uint8Array(100_000),
    'a zip': Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'),
    'a program': await readFile(process.execPath).then((bytes) => bytes.subarray(0, 100_000)),
    'EBML and nothing': Buffer.from('1a45dfa3', 'hex'),
    'a RIFF of nothing': Buffer.from('RIFF\xff\xff\xff\xffAVI LIST', 'latin1'),
  }
  for (const [name, bytes] of Object.entries(files)) {
    assert.is((await refusalOf(tools.prepare(await media.write('junk', bytes)))).status, 400, name)
  }
})

test('an MP4 that lacks its end, where its index was, is refused', async () => {
  const path = await whole('late-index.mp4', [...X264, '-c:a', 'aac'])
  const bytes = await readFile(path)
  const index = bytes.lastIndexOf('moov') - 4
  for (const length of [100, Math.floor(index / 2), index, index + 4]) {
    const cut = await media.write('cut.mp4', bytes.subarray(0, length))
    assert.is((await refusalOf(tools.prepare(cut))).status, 400, `${length} bytes`)
  }
  // Of the index itself, a part may be enough for the picture.
  for (const length of [index + 8, index + 100, index + 800, bytes.length - 1]) {
    await attempt(await media.write('cut.mp4', bytes.subarray(0, length)))
  }
})

test('an MP4 with its index first shows what has arrived', async () => {
  const path = await whole('early-index.mp4', [...X264, '-c:a', 'aac', '-movflags', '+faststart'])
  const length = (await readFile(path)).length
  for (const share of [0.6, 0.9]) {
    const cut = await media.patch(path, 'cut.mp4', (bytes) => bytes.subarray(0, Math.floor(length * share)))
    const made = await attempt(cut)
    assert.ok(made && made.frames > 10 && made.frames < FRAMES, `${share}: ${made?.frames} frames`)
    const shown = await readNumbers(made.path)
    assert.equal(
      shown,
      shown.map((_, frame) => Math.min(frame, shown.at(-1) ?? 0)),
    )
    assert.equal(await readNumbers((await tools.shoot(made, { cover: 0.3 })).path), [9])
  }
})

const containers: Readonly<Record<string, { args: readonly string[]; needs?: string }>> = {
  'cut.mkv': { args: [...X264, '-c:a', 'aac'] },
  'cut.webm': { args: '-c:v libvpx -deadline realtime -b:v 1M -c:a libopus'.split(' '), needs: 'libvpx' },
  'cut.ts': { args: [...X264, '-c:a', 'aac'] },
  'cut.avi': { args: '-c:v mpeg4 -q:v 3 -c:a pcm_s16le'.split(' ') },
  'cut.flv': { args: [...X264, '-c:a', 'aac'] },
  'cut.mpg': { args: '-c:v mpeg1video -r 25 -q:v 3 -c:a mp2'.split(' ') },
  'cut.ogv': { args: '-c:v libtheora -q:v 8 -c:a libvorbis'.split(' '), needs: 'libtheora' },
  'cut.gif': { args: [] },
  'cut.mov': { args: [...X264, '-c:a', 'pcm_s16be', '-movflags', 'frag_keyframe+empty_moov'] },
}
for (const [name, { args, needs }] of Object.entries(containers)) {
  test.skipUnless(...withEncoder(needs))(
    `${name}: cut anywhere, it shows a part or is refused; changed anywhere, too`,
    async () => {
      const path = await whole(name, args)
      const bytes = await readFile(path)
      const shown: (number | undefined)[] = []
      for (const share of [0.02, 0.9]) {
        const cut = await media.write('part', bytes.subarray(0, Math.floor(bytes.length * share)))
        shown.push((await attempt(cut))?.frames)
      }
      assert.ok((shown[1] ?? 0) > 30, `of 90 % it shows ${shown[1]} frames`)
      const { next } = createPrng(name.length)
      for (let round = 0; round < 2; round += 1) {
        const broken = Buffer.from(bytes)
        for (let index = 0; index < 40; index += 1) broken[Math.floor(next() * broken.length)] = next() * 256
        const made = await attempt(await media.write('broken', broken))
        if (made && made.frames >= 3) await tools.shoot(made, { end: Math.min(1, made.frames / 30) })
      }
    },
  )
}

test('an MP4 whose index is changed at random never troubles the service', async () => {
  const path = await whole('index.mp4', [...X264, '-c:a', 'aac'])
  const bytes = await readFile(path)
  const moov = bytes.lastIndexOf('moov')
  const { next } = createPrng(7)
  let accepted = 0
  for (let round = 0; round < 8; round += 1) {
    const broken = Buffer.from(bytes)
    for (let index = 0; index < 4; index += 1) {
      broken[moov + 4 + Math.floor(next() * (bytes.length - moov - 4))] = next() * 256
    }
    const made = await attempt(await media.write('broken.mp4', broken))
    if (!made || made.frames < 3) continue
    accepted += 1
    await tools.shoot(made, { end: Math.min(0.5, made.frames / 30), cover: 0.1 })
  }
  assert.ok(accepted > 2, `${accepted} of 8 still were videos`)
})

test('a picture whose time is hours late is repeated up to the end of the preview alone', async () => {
  const flv = await media.patch(await whole('late.flv', X264), 'late.flv', (bytes) => {
    const pictures: number[] = []
    for (let tag = 13; tag < bytes.length; tag += 15 + bytes.readUIntBE(tag + 1, 3)) {
      if (bytes[tag] === 9) pictures.push(tag)
    }
    // The first has no picture. The lower 24 bits, then the upper 8; what is 30 hours late or more, ffmpeg corrects.
    const tag = pictures[31] ?? 0
    bytes.writeUIntBE(104_400_000 & 0xffffff, tag + 4, 3)
    bytes[tag + 7] = 104_400_000 >> 24
    return bytes
  })
  const gif = await media.patch(await whole('late.gif', []), 'late.gif', (bytes) => {
    // A graphic control extension: the delay of the picture after it, in hundredths of a second.
    let at = 0
    for (let pictures = 0; pictures < 30; pictures += 1) at = bytes.indexOf('21f904', at + 1, 'hex')
    bytes.writeUInt16LE(0xffff, at + 4)
    return bytes
  })
  for (const path of [flv, gif]) {
    const made = await tools.prepare(path)
    assert.is(made.frames, 300)
    const shown = await readNumbers(made.path)
    assert.equal(shown.slice(0, 29), [...Array(29).keys()], path)
    assert.equal([...new Set(shown.slice(31))].length, 1, path)
    const { path: photo } = await tools.shoot(made, { end: 1, cover: 0.5 })
    assert.equal(await readNumbers(photo), [15])
  }
})

test.run()

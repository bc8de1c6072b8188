import { readFile } from 'node:fs/promises'
import sharp, { type OutputInfo } from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { hdrPatches, type Transfer } from '#support/media/hdr'
import { film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { readExiftoolFacts } from '#support/realFiles/exiftoolFacts'
import { libmotionphoto } from '#support/realFiles/libmotionphoto'
import { assert, suite } from '#support/runner/suite'

// Ultra HDR before programs that know nothing of this one: exiftool finds both pictures and the clip, and from the two
// pictures that sharp decodes comes the light that the video was made of.

const test = suite('Ultra HDR', { timeoutMs: 400_000 })

const media = await mediaFolderOfSuite()

/** Multiples of reference white; 1000 cd/m², where HLG ends, are 4.9 of them. */
const LIGHT = [0.02, 0.2, 0.5, 1, 2, 4]
const HEIGHT = 64
const FRAMES = 30

async function hdrVideo(transfer: Transfer): Promise<string> {
  const patches = LIGHT.map((light) => [light, light, light] as const)
  const size = `${patches.length * 32}x${HEIGHT}`
  return media.make(
    `${transfer}.mp4`,
    [
      ...['-f', 'rawvideo', '-pix_fmt', 'yuv444p10le', '-s', size, '-r', '30', '-i', 'pipe:0'],
      ...['-c:v', 'libx265', '-x265-params', 'log-level=none', '-crf', '8', '-pix_fmt', 'yuv420p10le'],
      ...['-tag:v', 'hvc1', '-color_primaries', 'bt2020', '-color_trc', transfer],
      ...['-colorspace', 'bt2020nc', '-color_range', 'tv'],
    ],
    hdrPatches(patches, transfer, HEIGHT, FRAMES),
  )
}

async function tag(path: string, name: string): Promise<string> {
  return (await exiftool('-s3', '-n', `-${name}`, path)).toString().trim()
}

/** What a screen shows of the middle of each patch. */
function shownLight(photo: string): Promise<number[]> {
  return lightOf(
    photo,
    LIGHT.map((_, patch) => (patch + 0.5) / LIGHT.length),
  )
}

function assertLight(shown: number | undefined, light: number): void {
  const ratio = ((shown ?? 0) + 0.02) / (light + 0.02)
  assert.ok(ratio > 0.85 && ratio < 1.18, `${light} of white is shown as ${shown}`)
}

/** As the format says: light of the picture times 2 to the map's power. @param places shares of the width */
async function lightOf(photo: string, places: readonly number[]): Promise<number[]> {
  const map = await exiftool('-b', '-MPImage2', photo)
  const mapFile = await media.write('map.jpg', map)
  const number = async (name: string) => Number(await tag(mapFile, `XMP-hdrgm:${name}`))
  const [min, max, sdr, hdr] = [
    await number('GainMapMin'),
    await number('GainMapMax'),
    await number('OffsetSDR'),
    await number('OffsetHDR'),
  ]
  const picture = await sharp(await readFile(photo))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const gains = await sharp(map).greyscale().raw().toBuffer({ resolveWithObject: true })
  return places.map((x) => {
    const signal = (at(picture, x) ?? 0) / 255
    const light = signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4
    const gain = min + ((at(gains, x) ?? 0) / 255) * (max - min)
    return (light + sdr) * 2 ** gain - hdr
  })
}

type Raw = { readonly data: Buffer; readonly info: OutputInfo }

function at({ data, info }: Raw, x: number): number | undefined {
  const row = Math.floor(info.height / 2) * info.width
  return data[(row + Math.floor(x * info.width)) * info.channels]
}

for (const [transfer, profiles] of [
  ['smpte2084', ['google', 'huawei']],
  ['arib-std-b67', ['google']],
] as const)
  test.skipUnless(...withEncoder('libx265'))(
    `${transfer}: the light of the video comes out of the two pictures`,
    async () => {
      const video = await hdrVideo(transfer)
      for (const profile of profiles) {
        const photo = media.path(`${transfer}-${profile}.jpg`)
        const args = [video, '--hdr', '--json', '--profile', profile, '-qo', photo]
        const { stdout, stderr } = await mustRunProgram(args)
        assert.is(JSON.parse(stdout).ultra_hdr, 'gain-map')
        assert.is(stderr, '')

        assert.is(
          await tag(photo, 'XMP-hdrgm:Version'),
          '1.0',
          'the primary picture says that there is a map',
        )
        assert.is(await tag(photo, 'NumberOfImages'), '2')
        assert.is(await tag(photo, 'DirectoryItemSemantic'), 'Primary, GainMap, MotionPhoto')
        const lengths = (await tag(photo, 'DirectoryItemLength')).split(', ').map(Number)
        const bytes = await readFile(photo)
        assert.is((await exiftool('-b', '-MPImage2', photo)).length, lengths[1])
        assert.is(bytes.toString('latin1', bytes.length - (lengths[2] ?? 0) + 4).slice(0, 4), 'ftyp')
        assert.ok((await exiftool('-b', '-MotionPhotoVideo', photo)).length > 1000)
        const { isMotionPhoto, complaint } = libmotionphoto(bytes, await readExiftoolFacts(photo))
        assert.equal([isMotionPhoto, complaint], [true, undefined], `Google's checker, ${profile}`)
      }
      const shown = await shownLight(media.path(`${transfer}-google.jpg`))
      for (const [patch, light] of LIGHT.entries()) assertLight(shown[patch], light)
    },
  )

test.skipUnless(...withEncoder('libx265'))(
  'a cropped or turned cover has the map of what it shows; a window and all profiles have one, too',
  async () => {
    const video = await hdrVideo('smpte2084')
    const make = async (name: string, ...args: string[]) => {
      const photo = media.path(name)
      const { stdout } = await mustRunProgram([video, '--hdr', '--json', '-qfo', photo, ...args])
      return { photo, ultraHdr: JSON.parse(stdout).ultra_hdr }
    }
    // The last two patches, of 2 and of 4 times white, beside and above each other.
    const part = await make('part.jpg', '--crop', '64x64+128+0', '--rotate', '180')
    assert.is(part.ultraHdr, 'gain-map')
    const cropped = await sharp(part.photo).metadata()
    assert.equal([cropped.width, cropped.height], [64, 64])
    const shown = await lightOf(part.photo, [0.75, 0.25])
    for (const [i, light] of [2, 4].entries()) assertLight(shown[i], light)
    const turned = await make('turned.jpg', '--rotate', '90')
    assert.is(turned.ultraHdr, 'gain-map')
    const map = await sharp(await exiftool('-b', '-MPImage2', turned.photo)).metadata()
    const { width = 0, height = 0 } = await sharp(turned.photo).metadata()
    assert.equal([width, height], [HEIGHT, LIGHT.length * 32])
    assert.equal([map.width, map.height], [width / 4, height / 4])
    const late = await make('late.jpg', '--start', '0.5', '--end', '0.9', '--cover', '0.7')
    assert.is(late.ultraHdr, 'gain-map')
    assert.is((await make('all.zip', '--profile', 'all')).ultraHdr, 'gain-map')
    assert.is((await make('live.zip', '--profile', 'apple')).ultraHdr, 'profile')
  },
)

test('a video of standard range has no gain map, and the program says why', async () => {
  const video = await media.make('sdr.mp4', film('320x180', 1))
  const photo = media.path('sdr.jpg')
  const { stdout, stderr } = await mustRunProgram([video, '--hdr', '--json', '-qo', photo])
  assert.is(JSON.parse(stdout).ultra_hdr, 'standard-range')
  assert.is(stderr, 'motion-photo: The photo has no gain map: the video is of standard range.\n')
  assert.is(await tag(photo, 'NumberOfImages'), '1')
  assert.is(await tag(photo, 'XMP-hdrgm:Version'), '')
})

test.run()

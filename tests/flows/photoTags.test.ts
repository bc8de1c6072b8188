import { copyFile, readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { samsungTimeTrailer } from '#support/media/samsungTrailer'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// What a photo says of itself is in the motion photo that is made of it, tag by tag, before exiftool.

const test = suite('tags of photos', { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()

/** What people write into photos, and cameras. */
const TAGS = [
  '-IFD0:Make=Canon',
  '-IFD0:Model=Canon EOS 5D',
  '-IFD0:Artist=A. Person',
  '-IFD0:XPKeywords=sea;sand',
  '-ExifIFD:LensModel=EF50mm f/1.8',
  '-ExifIFD:UserComment=my words',
  '-GPSLatitude=48.1372',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=11.5755',
  '-GPSLongitudeRef=E',
  '-XMP-xmp:Rating=4',
  '-XMP-dc:Subject=sea',
  '-XMP-dc:Description=By the sea',
  '-XMP-tiff:Orientation#=1',
  '-IPTC:Caption-Abstract=By the sea',
  '-IPTC:Keywords=sea',
  '-Comment=a comment',
]
const DATES = [
  '-ExifIFD:DateTimeOriginal=2020:02:03 04:05:06',
  '-ExifIFD:CreateDate=2020:02:03 04:05:06',
  '-ExifIFD:SubSecTimeOriginal=12',
  '-XMP-photoshop:DateCreated=2020:02:03 04:05:06',
  '-IPTC:DateCreated=2020:02:03',
  '-IPTC:TimeCreated=04:05:06+00:00',
]
/** In shares of 320 x 240: the face lies in the middle of the right half. */
const FACE = [
  '-XMP-mwg-rs:RegionAppliedToDimensionsW=320',
  '-XMP-mwg-rs:RegionAppliedToDimensionsH=240',
  '-XMP-mwg-rs:RegionAppliedToDimensionsUnit=pixel',
  '-XMP-mwg-rs:RegionName=Eve',
  '-XMP-mwg-rs:RegionType=Face',
  '-XMP-mwg-rs:RegionAreaX=0.75',
  '-XMP-mwg-rs:RegionAreaY=0.5',
  '-XMP-mwg-rs:RegionAreaW=0.1',
  '-XMP-mwg-rs:RegionAreaH=0.2',
  '-XMP-mwg-rs:RegionAreaUnit=normalized',
]

let movie = ''

test.before(async () => {
  movie = await media.make('movie.mp4', film('320x240', 1))
})

type Kind = 'rgb' | 'cmyk' | 'gray' | 'progressive'

async function photo(name: string, kind: Kind, ...tags: string[]): Promise<string> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: 'red', noise } })
  if (kind === 'gray') picture.greyscale()
  if (kind === 'cmyk') picture.toColourspace('cmyk')
  const path = await media.write(name, await picture.jpeg({ progressive: kind === 'progressive' }).toBuffer())
  await exiftool('-q', '-overwrite_original', ...tags, path)
  return path
}

type Tags = Readonly<Record<string, unknown>>

async function tagsOf(path: string): Promise<Tags> {
  const args = ['-a', '-G1', '-j', '-struct', '-n', '-ee3']
  const [tags] = JSON.parse((await exiftool(...args, path)).toString()) as [Tags]
  const kept = Object.entries(tags).filter(
    ([name]) => !/^(SourceFile|System|ExifTool|Composite|File:(?!Comment))/.test(name),
  )
  return Object.fromEntries(kept)
}

/** The tags that are gone and those that are others, by their names. */
async function differences(before: Tags, path: string): Promise<{ gone: string[]; changed: string[] }> {
  const after = await tagsOf(path)
  const names = Object.keys(before)
  return {
    gone: names.filter((name) => !(name in after)),
    changed: names.filter(
      (name) => name in after && JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    ),
  }
}

async function make(name: string, ...args: string[]) {
  const made = await mustRunProgram([...args, '-fo', media.path(name)])
  return { path: media.path(name), stderr: made.stderr }
}

test('a photo without a date keeps all tags, and gets the date of the video', async () => {
  const still = await photo('undated.jpg', 'rgb', ...TAGS)
  const before = await tagsOf(still)
  assert.ok('GPS:GPSLatitude' in before && 'File:Comment' in before)
  const dated = media.path('dated.mp4')
  await copyFile(movie, dated)
  await exiftool('-q', '-overwrite_original', '-QuickTime:CreateDate=2024:01:14 13:30:12', dated)
  const { path, stderr } = await make('of undated.jpg', still, dated)
  assert.equal(await differences(before, path), { gone: [], changed: [] })
  assert.match(String((await tagsOf(path))['ExifIFD:DateTimeOriginal']), /^2024:01:14 /)
  assert.not.match(stderr, /could not be kept/)
})

test('a photo without EXIF keeps what else it says', async () => {
  const still = await photo('plain.jpg', 'rgb', '-XMP-dc:Description=By the sea', '-IPTC:Keywords=sea')
  const { path } = await make('of plain.jpg', still, movie)
  assert.equal(await differences(await tagsOf(still), path), { gone: [], changed: [] })
})

test('words in another script stay in the UserComment, and an empty one has the mark of a profile', async () => {
  const still = await photo('words.jpg', 'rgb', '-ExifIFD:UserComment=夏の海')
  const { path } = await make('of words.jpg', still, movie)
  assert.is((await tagsOf(path))['ExifIFD:UserComment'], '夏の海')
  const blank = await photo('blank.jpg', 'rgb', '-ExifIFD:UserComment=   ')
  const marked = await make('of blank.jpg', blank, movie)
  assert.match(String((await tagsOf(marked.path))['ExifIFD:UserComment']), /^oplus_/)
})

test('another time takes the place of every date, and all else stays', async () => {
  const still = await photo('timed.jpg', 'progressive', ...TAGS, ...DATES)
  const before = await tagsOf(still)
  const { path } = await make('of timed.jpg', still, movie, '--captured-at', '2021-05-06T07:08:09+02:00')
  const { gone, changed } = await differences(before, path)
  assert.equal(gone, [])
  assert.equal(changed.toSorted(), [
    'ExifIFD:CreateDate',
    'ExifIFD:DateTimeOriginal',
    'ExifIFD:SubSecTimeOriginal',
    'IPTC:DateCreated',
    'IPTC:TimeCreated',
    'XMP-photoshop:DateCreated',
  ])
  const after = await tagsOf(path)
  assert.is(after['ExifIFD:DateTimeOriginal'], '2021:05:06 07:08:09')
  assert.is(after['ExifIFD:OffsetTimeOriginal'], '+02:00')
  assert.is(after['XMP-photoshop:DateCreated'], '2021:05:06 07:08:09+02:00')
  assert.is(after['IPTC:TimeCreated'], '07:08:09+02:00')
  const zoned = await make('zoned.jpg', still, movie, '--time-zone', '+05:30')
  assert.is((await tagsOf(zoned.path))['ExifIFD:OffsetTimeOriginal'], '+05:30')
  assert.equal((await differences(before, zoned.path)).gone, [])
})

test('a PNG or WebP as the cover keeps EXIF and XMP, lies as it says, and texts of a PNG are named', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  for (const format of ['png', 'webp'] as const) {
    const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: 'red', noise } })
    const cover = await media.write(`cover.${format}`, await picture.toFormat(format).toBuffer())
    const own = [...TAGS, ...DATES].filter((tag) => !/IPTC|Comment=a/.test(tag))
    await exiftool('-q', '-overwrite_original', ...own, '-IFD0:Orientation#=6', cover)
    const before = Object.fromEntries(
      Object.entries(await tagsOf(cover)).filter(([name]) => /^(IFD0|ExifIFD|GPS|XMP)/.test(name)),
    )
    const all = ['--cover-file', cover, '--metadata', 'all']
    const { path, stderr } = await make(`of ${format}.jpg`, movie, ...all)
    assert.equal(await differences(before, path), { gone: [], changed: ['XMP-tiff:Orientation'] })
    assert.not.match(stderr, /could not be kept/)
    const square = await make(`square ${format}.jpg`, movie, ...all, '--crop', '1:1')
    const { gone } = await differences(before, square.path)
    assert.equal(gone, [])
    const dated = await make(`dated ${format}.jpg`, movie, '--cover-file', cover)
    const tags = await tagsOf(dated.path)
    assert.is(tags['IFD0:Orientation'], 6, 'it is turned as it says')
    assert.not.ok(JSON.stringify(tags).includes('Canon'))
  }
  await exiftool('-q', '-overwrite_original', '-PNG:Title=By the sea', media.path('cover.png'))
  const args = [movie, '--cover-file', media.path('cover.png'), '--json', '-qfo', media.path('titled.jpg')]
  const lostOf = async (...more: string[]) => {
    const { stdout } = await mustRunProgram([...args, ...more])
    return JSON.parse(stdout).metadata_lost
  }
  assert.equal(await lostOf('--metadata', 'all'), ['text'])
  assert.is(await lostOf(), undefined)
})

test('the check sum of IPTC is renewed with its date where it was right, and stays otherwise', async () => {
  const still = await photo('summed.jpg', 'rgb', ...TAGS, ...DATES)
  await exiftool('-q', '-overwrite_original', '-IPTCDigest=new', still)
  const sums = async (path: string) => {
    const tags = await exiftool('-s3', '-Photoshop:IPTCDigest', '-File:CurrentIPTCDigest', path)
    return tags.toString().trim().split('\n')
  }
  const [old] = await sums(still)
  const { path } = await make('dated.jpg', still, movie, '--captured-at', '2021-05-06T07:08:09+02:00')
  const [said, current] = await sums(path)
  assert.is.not(said, old)
  assert.is(said, current)
  // Written by a program that did not know of it: XMP is out of date, and stays so.
  await exiftool('-q', '-overwrite_original', '-IPTC:City=Bonn', still)
  const stale = await make('stale.jpg', still, movie, '--captured-at', '2021-05-06T07:08:09+02:00')
  assert.is((await sums(stale.path))[0], old)
})

test('of a crop the sizes, the thumbnail and the areas of faces are those of the new picture', async () => {
  const still = await photo('faces.jpg', 'rgb', ...TAGS, ...DATES, ...FACE)
  const old = await media.write(
    'old.jpg',
    await sharp({ create: { width: 160, height: 120, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer(),
  )
  await exiftool(
    '-q',
    '-overwrite_original',
    `-ThumbnailImage<=${old}`,
    '-ExifIFD:ExifImageWidth=320',
    '-ExifIFD:ExifImageHeight=240',
    '-IFD1:ImageWidth=160',
    '-IFD1:ImageHeight=120',
    '-IFD1:Orientation#=1',
    still,
  )
  const { path } = await make('cropped.jpg', still, movie, '--crop', '160x240+160+0', '--rotate', '90')
  const { gone, changed } = await differences(await tagsOf(still), path)
  assert.equal(gone, [])
  assert.equal(changed.filter((name) => !name.startsWith('IFD1:')).toSorted(), [
    'ExifIFD:ExifImageHeight',
    'ExifIFD:ExifImageWidth',
    'XMP-mwg-rs:RegionInfo',
  ])
  const after = await tagsOf(path)
  assert.equal([after['ExifIFD:ExifImageWidth'], after['ExifIFD:ExifImageHeight']], [240, 160])
  const regions = after['XMP-mwg-rs:RegionInfo'] as { RegionList: { Area: Record<string, unknown> }[] }
  // In the right half the face is in the middle; a quarter turn exchanges its sides.
  assert.equal(regions.RegionList[0]?.Area, { X: 0.5, Y: 0.5, W: 0.2, H: 0.2, Unit: 'normalized' })
  const small = await sharp(await exiftool('-b', '-ThumbnailImage', path)).metadata()
  assert.equal([small.width, small.height], [240, 160])
  assert.equal([after['IFD1:ImageWidth'], after['IFD1:ImageHeight']], [240, 160])
  const away = await make('without.jpg', still, movie, '--crop', '100x240+0+0')
  assert.not.ok(JSON.stringify(await tagsOf(away.path)).includes('Eve'))
})

test('grey and CMYK keep their tags; a profile that is not of the new pixels is named', async () => {
  for (const kind of ['gray', 'cmyk'] as const) {
    const still = await photo(`${kind}.jpg`, kind, ...TAGS, ...DATES)
    const { path } = await make(`of ${kind}.jpg`, still, movie, '--crop', '1:1')
    const { gone } = await differences(await tagsOf(still), path)
    assert.equal(
      gone.filter((name) => !name.startsWith('ICC')),
      [],
      kind,
    )
  }
})

test('EXIF that cannot be read is named, and the rest stays', async () => {
  const still = await photo('good.jpg', 'rgb', ...TAGS)
  const broken = await media.patch(still, 'broken.jpg', (bytes) => {
    bytes.write('XX', bytes.indexOf('Exif\0\0') + 6, 'latin1')
    return bytes
  })
  const { path, stderr } = await make('of broken.jpg', broken, movie)
  assert.match(stderr, /Of the photo could not be kept: EXIF, which is broken/)
  const { gone } = await differences(await tagsOf(broken), path)
  assert.equal(gone, [])
  const { stdout } = await mustRunProgram([broken, movie, '--json', '-qfo', media.path('json.jpg')])
  assert.equal(JSON.parse(stdout).metadata_lost, ['exif'])
})

test('EXIF in several segments of which the changed one has no room is named, and nothing of it is left over', async () => {
  const words = await media.write('words.txt', 'By the sea. '.repeat(6_000))
  const still = await photo('long.jpg', 'rgb', ...TAGS)
  await exiftool('-q', '-m', '-overwrite_original', `-ExifIFD:UserComment<=${words}`, still)
  const segments = (await readFile(still)).toString('latin1').split('Exif\0\0').length - 1
  assert.is(segments, 2)
  const { path, stderr } = await make('of long.jpg', still, movie)
  assert.match(stderr, /Of the photo could not be kept: EXIF, which is broken or too large/)
  const tags = await tagsOf(path)
  assert.is(tags['XMP-dc:Description'], 'By the sea')
  assert.is((await exiftool('-s3', '-Warning', path)).toString(), '')
  assert.is((await readFile(path)).toString('latin1').split('Exif\0\0').length - 1, 1)
})

test('data behind a picture is named', async () => {
  const still = await photo('tailed.jpg', 'rgb', ...TAGS)
  const tailed = await media.write(
    'tail.jpg',
    Buffer.concat([await readFile(still), Buffer.from('a trailer')]),
  )
  const { stderr } = await make('of tail.jpg', tailed, movie)
  assert.match(stderr, /could not be kept: data behind its picture/)
})

test('another choice of metadata writes none of the photo’s own', async () => {
  const still = await photo('secret.jpg', 'rgb', ...TAGS, ...DATES)
  for (const args of [
    ['--metadata', 'none'],
    ['--metadata', 'date', '--crop', '1:1'],
  ]) {
    const { path } = await make('private.jpg', still, movie, ...args)
    const said = JSON.stringify(await tagsOf(path))
    for (const word of ['Canon', 'sea', 'Person', 'GPSLatitude', 'my words', 'a comment'])
      assert.not.ok(said.includes(word), `${args.join(' ')}: ${word}`)
  }
})

test.skipUnless(...withEncoder('libx265'))(
  'a HEIC becomes a JPEG with its tags, and sizes as its picture lies',
  async () => {
    const stream = await media.make('picture.hevc', [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=64x48:d=0.04', '-frames:v', '1', '-c:v', 'libx265'],
      ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
    ])
    const file = heicFile({ streams: [await readFile(stream)], tile: { width: 64, height: 48 } })
    const heic = await media.write('IMG_1.HEIC', file)
    const own = TAGS.filter((tag) => !/IPTC|Comment=a/.test(tag))
    await exiftool(
      '-q',
      '-overwrite_original',
      ...own,
      '-ExifIFD:ExifImageWidth=48',
      '-ExifIFD:ExifImageHeight=64',
      '-ExifIFD:SubjectArea=16 12 8 6',
      heic,
    )
    const before = Object.fromEntries(
      Object.entries(await tagsOf(heic)).filter(([name]) => /^(IFD0|ExifIFD|GPS|XMP)/.test(name)),
    )
    const { path } = await make('of heic.jpg', heic, movie)
    assert.equal(await differences(before, path), {
      gone: [],
      changed: ['ExifIFD:ExifImageWidth', 'ExifIFD:ExifImageHeight'],
    })
    // Cameras of Canon, Sony and Nikon call it so. A phone of Samsung writes its blocks behind the picture.
    const block = samsungTimeTrailer(1705242600000)
    const head = Buffer.from('\0\0\0\0sefd')
    head.writeUInt32BE(head.length + block.length)
    const camera = await media.write('DSC_1.HIF', Buffer.concat([await readFile(heic), head, block]))
    const made = await make('of HIF.jpg', camera, movie)
    assert.equal((await differences(before, made.path)).gone, [])
    assert.match(made.stderr, /could not be kept: data behind its picture/)
  },
)

test.run()

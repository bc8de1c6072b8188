import { copyFile, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exiftool } from '#support/media/exiftool'
import { livePair } from '#support/media/livePair'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// motion-photo FOLDER --to PHONE --out OUT, with folders as phones, clouds and chat programs leave them.

const test = suite('folders on the command line', { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()
const NOON = '2024:05:06 12:00:00'
let pair = { photo: '', movie: '' }
let video = ''

test.before(async () => {
  video = await media.make('video.mp4', film('160x120', 1))
  pair = await livePair(media, 'pair', video)
})

type Marks = { readonly id?: string; readonly at?: string }

/** A photo and a video as the phone has named them, each with an identifier or a time. */
async function put(folder: string, name: string, { id = '', at = NOON }: Marks = {}): Promise<void> {
  const path = media.path(`${folder}/${name}`)
  await mkdir(media.path(folder), { recursive: true })
  const isPhoto = /\.jpe?g$/i.test(name)
  await copyFile(isPhoto ? pair.photo : pair.movie, path)
  const times = isPhoto
    ? [`-DateTimeOriginal=${at}`, '-OffsetTime*=', '-SubSecTime*=']
    : [`-Keys:CreationDate=${at}+02:00`, `-CreateDate=${at}`]
  const identifier = id && `${id}E5F1C8A-0B3D-4D3E-9F6A-2C7B8D9E0F1`
  const ids = `-${isPhoto ? 'Apple' : 'Keys'}:ContentIdentifier=${identifier}`
  await exiftool('-q', '-overwrite_original', ...times, ids, path)
  await utimes(path, 1_600_000_000, 1_600_000_000)
}

/** The lines about files, without their numbers, and the table. */
async function lines(...args: string[]) {
  const { exit, stdout, stderr } = await runProgram(args)
  const all = stderr.trimEnd().split('\n')
  const isLine = (line: string) => line.startsWith('[')
  const about = all.filter(isLine).map((line) => line.replace(/^\[\d+\/\d+\] /, ''))
  // Refused files are listed once more.
  const table = all.filter((line) => /^ +\d+ /.test(line)).map((line) => line.trim())
  return { exit, stdout, about: about.sort(), table: table.sort() }
}

test('pairs are found by identifier, then by name and time, whatever their names', async () => {
  await put('icloud', 'IMG_0011-1.JPEG', { id: 'A' })
  await put('icloud', 'IMG_0011.MOV', { id: 'A' })
  await put('icloud', 'IMG_0011.JPEG', { at: '2024:05:06 13:30:30' })
  await put('icloud', 'IMG_0435.JPG', { at: '2024:05:06 14:00:00' })
  await put('icloud', 'IMG_0435.JPEG')
  await put('icloud', 'IMG_0435.MOV')
  await put('icloud', 'IMG_0500-1.JPEG')
  await put('icloud', 'IMG_0500.MOV')
  for (const [photo, movie] of [
    ['1', '2'],
    ['2', '1'],
  ]) {
    await put('icloud', `IMG_${photo}.JPG`, { id: `X${photo}` })
    await put('icloud', `IMG_${movie}.MOV`, { id: `X${photo}` })
  }
  const { exit, stdout, about, table } = await lines(
    media.path('icloud'),
    '--out',
    media.path('o'),
    '--dry-run',
  )
  assert.equal(about, [
    'IMG_0011-1.JPEG + IMG_0011.MOV: would become IMG_0011-1_MP.jpg',
    'IMG_0011.JPEG: photo and IMG_0011.MOV are no pair: they were taken 5430 s apart, and have no identifier in common.',
    'IMG_0435.JPEG + IMG_0435.MOV: would become IMG_0435_MP.jpg',
    'IMG_0435.JPG: photo and IMG_0435.MOV are no pair: they were taken 7200 s apart, and have no identifier in common.',
    'IMG_0500-1.JPEG + IMG_0500.MOV: would become IMG_0500-1_MP.jpg',
    'IMG_1.JPG + IMG_2.MOV: would become IMG_1_MP.jpg',
    'IMG_2.JPG + IMG_1.MOV: would become IMG_2_MP.jpg',
  ])
  assert.equal([exit, stdout, table], [1, '', ['2 refused', '5 would be made']])
  assert.is((await readdir(media.folder)).includes('o'), false)
})

test('chats, Takeout and other phones: each thing has a line, the rest is finished, and a second run goes on', async () => {
  const source = media.path('mixed')
  await put('mixed/Takeout', 'IMG_9(1).JPG')
  await put('mixed/Takeout', 'IMG_9(1).MOV')
  await writeFile(join(source, 'Takeout/IMG_9(1).JPG.json'), '{}')
  await put('mixed', 'IMG-20240506-WA0001.jpg')
  await copyFile(video, join(source, 'VID-20240506-WA0002.mp4'))
  await mustRunProgram([pair.photo, pair.movie, '--profile', 'samsung', '-qo', join(source, 'MOTION.jpg')])
  await writeFile(join(source, 'bad.mov'), 'no video')
  const out = media.path('made')
  const args = [source, '--to', 'huawei', '--out', out, '--recursive']
  const first = await lines(...args, '--json')
  assert.is(first.exit, 1)
  assert.match(first.about.join('\n'), /^bad\.mov: The file is not a video/m)
  const passed = '1 passed over: 1 .json'
  assert.equal(first.table, [passed, '1 refused', '1 skipped: a photo without a video', '3 made'])
  const told = first.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(told.map(({ status }) => status).sort(), ['made', 'made', 'made', 'refused', 'skipped'])
  assert.equal((await readdir(out)).sort(), ['MOTION_MP.jpg', 'Takeout', 'VID-20240506-WA0002_MP.jpg'])
  const ofPair = join(out, 'Takeout/IMG_9(1)_MP.jpg')
  for (const path of [ofPair, join(out, 'MOTION_MP.jpg')]) {
    assert.ok(readMotionPhoto(await readFile(path))?.huawei, path)
    const lens = (await exiftool('-s3', '-LensModel', path)).toString().trim()
    assert.is(lens, 'iPhone 15 back camera', path)
  }
  const { mtimeMs, ino } = await stat(ofPair)
  assert.is(mtimeMs, 1_600_000_000_000)

  await put('mixed', 'IMG_NEW.JPG')
  await put('mixed', 'IMG_NEW.MOV')
  const second = await lines(...args)
  assert.equal(second.table, [
    '1 made',
    passed,
    '1 refused',
    '1 skipped: a photo without a video',
    '3 skipped: is there already',
  ])
  assert.is(second.stdout, `${out}/IMG_NEW_MP.jpg\n`)
  assert.is((await stat(ofPair)).ino, ino)
})

test('names follow the pattern, and two of one name are told apart', async () => {
  await put('names', 'IMG_1.JPG')
  await put('names', 'IMG_1.MOV')
  await copyFile(video, media.path('names/IMG_1.mp4'))
  const named = async (names: string) => {
    const { about } = await lines(
      media.path('names'),
      '--out',
      media.path('n'),
      '--dry-run',
      '--names',
      names,
    )
    return about.map((line) => line.replace(/.*would become /, ''))
  }
  assert.equal(await named('{name}'), ['IMG_1_MP.jpg', 'IMG_1_mp4_MP.jpg'])
  assert.match((await named('{date}_{n}')).join(), /^20240506_120000_0001_MP\.jpg,\d{8}_\d{6}_0002_MP\.jpg$/)
  await copyFile(video, media.path('names/20240506_090001.mp4'))
  assert.match((await named('{date}')).join(), /^20240506_090001_MP\.jpg,/, "by the video's name")
  const itself = await runProgram([media.path('names'), '--out', media.path('names')])
  assert.equal([itself.exit, /--out must be another folder/.test(itself.stderr)], [2, true])
  const forced = await runProgram([media.path('names'), '--out', media.path('n'), '--force'])
  assert.match(forced.stderr, /--force is not for folders/)
})

test.run()

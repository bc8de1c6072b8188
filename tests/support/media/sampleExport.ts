import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { zipSync } from 'fflate'
import { mustRunProgram } from '../process/commandLine'
import { livePair } from './livePair'
import { film, type MediaFolder } from './media'

export const YEAR = 'Takeout/Google Photos/Photos from 2020'
export const ALBUM = 'Takeout/Google Photos/Sea'
export const TAKEN = 1599078832

/** Paths and bytes. */
export type Files = ReadonlyMap<string, Uint8Array>

/** Results of the whole export: an album is a folder. */
export const RESULT = [
  '2020/IMG_0001_MP.jpg',
  '2020/PXL_2.MP.jpg',
  '2020/film.mp4',
  '2020/plain-bearbeitet(1).jpg',
  'Sea_ 2020/plain(1).jpg',
]

const textBytes = (text: string) => new TextEncoder().encode(text)

/** A side-car as Google writes it. */
export function sideCar(title: string, more: object = {}): Uint8Array {
  const photoTakenTime = { timestamp: String(TAKEN) }
  return textBytes(JSON.stringify({ title, photoTakenTime, url: 'https://x', ...more }))
}

/** An export as Google writes it: a Live Photo, a motion photo beside its clip, an edited photo, an album, a film. */
export async function sampleExport(media: MediaFolder): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  const video = await media.make('video.mp4', film('320x240', 2, 'sound'))
  const { photo, movie } = await livePair(media, 'IMG_0001', video)
  const motion = media.path('motion.jpg')
  await mustRunProgram([video, '--profile', 'google', '-qo', motion])
  const clip = media.path('clip.mp4')
  await mustRunProgram(['extract', motion, '-o', clip])
  const plain = await media.make('plain.jpg', ['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1'])
  const edited = await media.make('edited.jpg', ['-f', 'lavfi', '-i', 'testsrc2=s=48x64', '-frames:v', '1'])
  const add = async (path: string, content: Uint8Array | string) =>
    files.set(path, typeof content === 'string' ? new Uint8Array(await readFile(content)) : content)
  await add(`${YEAR}/IMG_0001.JPG`, photo)
  await add(`${YEAR}/IMG_0001.MP4`, movie)
  await add(`${YEAR}/IMG_0001.JPG.supplemental-metadata.json`, sideCar('IMG_0001.JPG', { favorited: true }))
  await add(`${YEAR}/PXL_2.MP.jpg`, motion)
  await add(`${YEAR}/PXL_2.MP`, clip)
  await add(`${YEAR}/PXL_2.MP.jpg.supplemental-met.json`, sideCar('PXL_2.MP.jpg'))
  const words = {
    description: 'At the sea',
    geoData: { latitude: 52.52, longitude: 13.405, altitude: 0 },
    favorited: true,
    people: [{ name: 'Ada' }],
  }
  await add(`${YEAR}/plain(1).jpg`, plain)
  await add(`${YEAR}/plain.jpg.supplemental-metadata(1).json`, sideCar('plain.jpg', words))
  await add(`${YEAR}/plain-bearbeitet(1).jpg`, edited)
  await add(`${YEAR}/film.mp4`, video)
  await add(`${YEAR}/gone.jpg.json`, sideCar('gone.jpg'))
  await add(
    `${ALBUM}/metadata.json`,
    textBytes('{"title":"Sea: 2020","description":"","date":{"timestamp":"1"}}'),
  )
  await add(`${ALBUM}/plain.jpg`, plain)
  await add('Takeout/archive_browser.html', textBytes('<html>'))
  return files
}

/** Writes files below a folder. */
export async function writeFiles(
  folder: string,
  files: Iterable<readonly [string, Uint8Array]>,
): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/** ZIPs and files of which each is wrong in another way. @param photo that is good */
export async function writeBadExport(folder: string, photo: Uint8Array): Promise<void> {
  await mkdir(folder)
  const whole = zipSync({ 'Photos from 2020/a.jpg': photo, '../../out.jpg': new Uint8Array(9) }, { level: 0 })
  const damaged = whole.slice()
  damaged[200] = (damaged[200] ?? 0) ^ 0xff
  const locked = zipSync({ 'locked.jpg': new Uint8Array(10) }, { level: 0 })
  locked[Buffer.from(locked).indexOf('PK\x01\x02', 0, 'latin1') + 8] = 1
  const impossible = '{"title":"c.jpg","photoTakenTime":{"timestamp":"99999999999"}}'
  await writeFiles(folder, [
    ['cut.zip', whole.subarray(0, 400)],
    ['good.zip', whole],
    ['bomb.zip', zipSync({ 'bomb.jpg': new Uint8Array(8 * 1024 * 1024) }, { level: 9 })],
    ['sum.zip', damaged],
    ['locked.zip', locked],
    ['b.jpg.json', textBytes('['.repeat(100_000))],
    ['c.jpg.json', textBytes(impossible)],
    ['c.jpg', photo],
    ['empty.jpg', new Uint8Array()],
  ])
}

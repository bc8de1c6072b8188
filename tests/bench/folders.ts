import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { exiftool } from '#support/media/exiftool'
import { livePair } from '#support/media/livePair'
import { ffmpegPath, film, mustRun, openMediaFolder } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { costOf, median } from './measure'

const PHOTOS = Number(process.env.PHOTOS ?? 300)
const ROUNDS = 5

/** What a photo of a folder of Live Photos costs, against decoding its picture once. `PHOTOS=30` for fewer. */
export async function benchFolders(): Promise<void> {
  const media = await openMediaFolder()
  try {
    const folder = media.path('pairs')
    const out = media.path('out')
    await fill(folder)
    const picture = `${folder}/IMG_0000.JPG`
    const decodes: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const { cpuMs } = await costOf(() => mustRun(ffmpegPath, ['-i', picture, '-f', 'null', '-']))
      decodes.push(cpuMs)
    }
    const { cpuMs, wallMs } = await costOf(() => runProgram([folder, '--to', 'samsung', '--out', out]))
    const made = (await readdir(out)).length
    const each = cpuMs / made
    const ratio = each / median(decodes)
    console.log(`\nA folder of ${PHOTOS} Live Photos (12 MP, 3 s of 1440×1080) for a Galaxy`)
    console.log(
      `  ${made} made in ${(wallMs / 1000).toFixed(1)} s, ${each.toFixed(0)} ms of a processor each;`,
    )
    console.log(
      `  a decode of the picture: ${median(decodes).toFixed(0)} ms; ratio ${ratio.toFixed(2)}×  goal ≤ 1.5×`,
    )
  } finally {
    await media.remove()
  }

  async function fill(folder: string): Promise<void> {
    const video = await media.make('video.mp4', film('1440x1080', 3, 'sound'))
    const { photo, movie } = await livePair(media, 'pair', video)
    const large = await media.make('large.jpg', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=4032x3024,noise=alls=12', '-frames:v', '1', '-q:v', '3'],
    ])
    await exiftool('-q', '-overwrite_original', '-TagsFromFile', photo, '-all:all', '-MakerNotes', large)
    const identifier = (await exiftool('-s3', '-Apple:ContentIdentifier', large)).toString().trim()
    await mkdir(folder)
    for (const [path, ending] of [
      [large, 'JPG'],
      [movie, 'MOV'],
    ] as const) {
      const bytes = await readFile(path)
      const places = [...placesOf(bytes, identifier)]
      for (let number = 0; number < PHOTOS; number += 1) {
        const digits = String(number).padStart(4, '0')
        for (const at of places) bytes.write(digits, at)
        await writeFile(`${folder}/IMG_${digits}.${ending}`, bytes)
      }
    }
  }
}

function* placesOf(bytes: Buffer, text: string): Generator<number> {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) yield at
}

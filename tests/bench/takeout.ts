import { execFileSync } from 'node:child_process'
import { createHash, randomFillSync } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRunProgram } from '#support/process/commandLine'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { baselineJpeg } from '../unit/formats/motionPhoto/sampleJpeg'
import { peakOfChildren } from './measure'

const FILES = Number(process.env.FILES ?? 3000)
const FILE_BYTES = 2 * 1024 * 1024

/** An export of photos of 2 MB with their side-cars, against `cp -r` of the same files. `FILES=500` for fewer. */
export async function benchTakeout(): Promise<void> {
  const folder = await makeTempFolder('lantern-takeout', process.env.BENCH_DIR)
  try {
    const year = join(folder, 'in/Takeout/Google Photos/Photos from 2020')
    await mkdir(year, { recursive: true })
    for (let number = 0; number < FILES; number += 1) await fill(year, number)
    const copyMs = await timeOf(() =>
      Promise.resolve(execFileSync('cp', ['-r', join(folder, 'in'), join(folder, 'copy')])),
    )
    await removeFolders(join(folder, 'copy'))
    let peak = Number.NaN
    const takeoutMs = await timeOf(async () => {
      peak = await peakOfChildren(() =>
        mustRunProgram(['takeout', join(folder, 'in'), '--out', join(folder, 'out')]),
      )
    })
    const made = (await readdir(join(folder, 'out/2020'))).length
    console.log(`\nAn export of ${FILES} photos of 2 MB with side-cars`)
    console.log(
      `  ${made} in ${(takeoutMs / 1000).toFixed(1)} s, ${((made / takeoutMs) * 1000).toFixed(0)} a second  goal ≥ 150; peak ${peak.toFixed(0)} MB  goal ≤ 200 MB`,
    )
    console.log(
      `  cp -r: ${(copyMs / 1000).toFixed(1)} s; ratio ${(takeoutMs / copyMs).toFixed(2)}×  goal ≤ 2.5×`,
    )
  } finally {
    await removeFolders(folder)
  }
}

/** No two are alike, neither in their pixels nor behind them. */
async function fill(folder: string, number: number): Promise<void> {
  const bytes = new Uint8Array(FILE_BYTES)
  bytes.set(baselineJpeg)
  randomFillSync(bytes, baselineJpeg.length)
  const name = `IMG_${String(number).padStart(5, '0')}.jpg`
  await writeFile(join(folder, name), bytes)
  const title = createHash('md5').update(name).digest('hex')
  const sideCar = {
    title: name,
    description: title,
    photoTakenTime: { timestamp: String(1_577_880_000 + number * 60) },
    geoData: { latitude: 52.52, longitude: 13.405, altitude: 34 },
  }
  await writeFile(join(folder, `${name}.supplemental-metadata.json`), JSON.stringify(sideCar))
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

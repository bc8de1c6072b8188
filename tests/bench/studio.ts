import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { browserPath, launchBrowser, openPage } from '#support/browser/browser'
import { serveStudio } from '#support/browser/serveStudio'
import { film } from '#support/media/media'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { median } from './measure'

const ROUNDS = 5

/**
 * A photo of three seconds out of the middle of an hour of 1080p, made by the page alone, without any service: the
 * time from the choice to the first picture, from the order to the photo, and the most memory that a process of the page had.
 */
export async function benchStudio(): Promise<void> {
  if (browserPath === undefined) return console.log('\nstudio: skipped, Chromium is not installed')
  const folder = await makeTempFolder('lantern-bench')
  const browser = await launchBrowser()
  const { server, url } = await serveStudio()
  try {
    const hour = await makeHour(folder)
    console.log(
      `\nthe studio, an hour of ${((await stat(hour)).size / 1e9).toFixed(1)} GB: goals ≤ 300 ms, ≤ 3000 ms, ≤ 300 MB`,
    )
    const rounds: Record<'picture' | 'photo' | 'memory', number>[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = await openPage(browser, url)
      await page.locator('#content').waitFor()
      await page.evaluate(WATCH)
      await page.setInputFiles('input[type=file]', hour)
      await page.locator('.timeline').waitFor()
      await page.evaluate(UNTIL_SHOWN)
      const picture = Number(await page.evaluate('watched.picture'))
      for (const [name, time] of [
        ['End', '30:03'],
        ['Start', '30:00'],
      ] as const) {
        await page.getByRole('textbox', { name }).fill(time)
        await page.keyboard.press('Tab')
      }
      await page.locator('.editor > .main').click()
      await page.locator('.result').waitFor()
      rounds.push({ picture, photo: Number(await page.evaluate('watched.photo')), memory: peakMegabytes() })
      if (page.complaints.length > 0) throw new Error(page.complaints.join())
      await page.context().close()
    }
    const middle = (of: keyof (typeof rounds)[number]) => median(rounds.map((one) => one[of])).toFixed(0)
    console.log(
      `  first picture ${middle('picture')} ms   photo ${middle('photo')} ms   page's process ${middle('memory')} MB`,
    )
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
    await removeFolders(folder)
  }
}

/** A minute, over and over: an hour of its own would take half an hour to encode. */
async function makeHour(folder: string): Promise<string> {
  const [minute, hour] = [join(folder, 'minute.mp4'), join(folder, 'hour.mp4')]
  const run = (...args: readonly string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', ...args])
  const rate = [
    '-preset',
    'ultrafast',
    '-g',
    '60',
    '-b:v',
    '4500k',
    '-minrate',
    '4500k',
    '-maxrate',
    '4500k',
    '-bufsize',
    '4500k',
  ]
  await run(...film('1920x1080', 60, 'sound'), ...rate, '-x264-params', 'nal-hrd=cbr', minute)
  await run('-stream_loop', '59', '-i', minute, '-c', 'copy', hour)
  return hour
}

/** Milliseconds from the choice of the file to a picture of it, and from the click to the photo. */
const WATCH = `{
  const watched = (globalThis.watched = {})
  let chosen, ordered
  addEventListener('change', ({ target }) => { if (target.type === 'file') chosen = performance.now() }, true)
  addEventListener('click', () => { ordered = performance.now() }, true)
  const look = () => {
    const video = document.querySelector('video')
    if (watched.picture === undefined && video?.videoWidth > 0 && video.readyState >= 2) watched.picture = performance.now() - chosen
    if (watched.photo === undefined && document.querySelector('.result')) watched.photo = performance.now() - ordered
    requestAnimationFrame(look)
  }
  look()
}`

const UNTIL_SHOWN = `(async () => {
  while (watched.picture === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
})()`

/** The most memory that one of the processes for pages has had. */
function peakMegabytes(): number {
  const peaks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=renderer')) return []
        const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
        return [Number(kilobytes) / 1024]
      } catch {
        return []
      }
    })
  return Math.max(...peaks)
}

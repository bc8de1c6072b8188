import { execFile } from 'node:child_process'
import { on, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { WebSocket } from 'ws'
import { browserPath, launchBrowser } from '#support/browser/browser'
import { serveStudio } from '#support/browser/serveStudio'
import { film } from '#support/media/media'
import { freePort } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { median } from './measure'

const ROUNDS = 5

/**
 * A photo of three seconds out of the middle of an hour of 1080p, made by the page alone, without any service: the
 * time from the choice to the first picture, from the order to the photo, and the most memory that the page's process had.
 */
export async function benchStudio(): Promise<void> {
  if (browserPath === undefined) return console.log('\nstudio: skipped, Chromium is not installed')
  const folder = await makeTempFolder('lantern-bench')
  const { server, url } = await serveStudio()
  try {
    const hour = await makeHour(folder)
    console.log(
      `\nthe studio, an hour of ${((await stat(hour)).size / 1e9).toFixed(1)} GB: goals ≤ 300 ms, ≤ 3000 ms, ≤ 300 MB`,
    )
    const rounds: Awaited<ReturnType<typeof makeOnce>>[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const port = await freePort()
      // For each its own: a process of a page that was closed may serve the next.
      const browser = await launchBrowser([], `--remote-debugging-port=${port}`)
      const made = makeOnce(`http://127.0.0.1:${port}/json`, url, hour, await pagesOf(browser))
      rounds.push(await made.finally(() => browser.close()))
    }
    const middle = (of: keyof (typeof rounds)[number]) => median(rounds.map((one) => one[of])).toFixed(0)
    console.log(`  first picture ${middle('picture')} ms   photo ${middle('photo')} ms`)
    console.log(
      `  page's own memory ${middle('own')} MB at its peak, empty ${middle('ownEmpty')} MB; resident ${middle('most')} MB, empty ${middle('empty')} MB`,
    )
  } finally {
    server.closeAllConnections()
    server.close()
    await removeFolders(folder)
  }
}

/** The processes for pages. */
async function pagesOf(browser: Browser): Promise<() => Promise<number[]>> {
  const session = await browser.newBrowserCDPSession()
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  }
}

/** Not by Playwright: for it a browser keeps in the page's process what the page reads. */
async function makeOnce(browser: string, url: string, hour: string, pages: () => Promise<number[]>) {
  const target = await (await fetch(`${browser}/new?${encodeURIComponent(url)}`, { method: 'PUT' })).json()
  const { webSocketDebuggerUrl } = target as { webSocketDebuggerUrl: string }
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  let asked = 0
  const send = async (method: string, params: object) => {
    asked += 1
    const mine = asked
    socket.send(JSON.stringify({ id: mine, method, params }))
    for await (const [data] of on(socket, 'message')) {
      const answer = JSON.parse(String(data)) as { id?: number; result: { result: RemoteValue } }
      if (answer.id === mine) return answer.result.result
    }
    throw new Error(`no answer to ${method}`)
  }
  const run = (expression: string) =>
    send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await sleep(2000)
  await run(WATCH)
  const memory = watchMemory(await pages())
  const input = 'document.querySelector("input[type=file]")'
  const { objectId } = await send('Runtime.evaluate', { expression: input })
  await send('DOM.setFileInputFiles', { files: [hour], objectId })
  await run(`until(() => watched.picture && document.querySelector('.timeline'))`)
  await run(SET_TIMES)
  await run(`document.querySelector('.editor > .main').click()`)
  const { value } = await run(`until(() => watched.photo).then(() => watched)`)
  const { picture, photo } = value as { picture: number; photo: number }
  await sleep(1000)
  const { most, own, empty, ownEmpty } = memory()
  return { picture, photo, most, own, empty, ownEmpty }
}

type RemoteValue = { readonly objectId?: string; readonly value?: unknown }

/** A minute, over and over: an hour of its own would take half an hour to encode. */
async function makeHour(folder: string): Promise<string> {
  const [minute, hour] = [join(folder, 'minute.mp4'), join(folder, 'hour.mp4')]
  const run = (...args: readonly string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', ...args])
  const rate = '-g 60 -b:v 4500k -minrate 4500k -maxrate 4500k -bufsize 4500k'.split(' ')
  await run(...film('1920x1080', 60, 'sound'), ...rate, '-x264-params', 'nal-hrd=cbr', minute)
  await run('-stream_loop', '59', '-i', minute, '-c', 'copy', hour)
  return hour
}

/** Milliseconds from the choice of the file to a picture of it, and from the click to the photo. */
const WATCH = `{
  globalThis.watched = {}
  globalThis.until = async (is) => { while (!is()) await new Promise((resolve) => setTimeout(resolve, 10)) }
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

const SET_TIMES = `(async () => {
  for (const [field, time] of [[2, '30:03'], [0, '30:00']]) {
    const input = document.querySelectorAll('.moment input')[field]
    input.value = time
    for (const event of ['input', 'change']) {
      input.dispatchEvent(new Event(event, { bubbles: true }))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
})()`

const WATCH_EVERY_MS = 20

/**
 * Watches the memory of processes, in megabytes: what they have of their own, as the browser's task manager tells it, and the most that was
 * resident, with the browser's program and what is shared.
 * @returns a function that tells of the one that had the most
 */
function watchMemory(processes: readonly number[]) {
  const read = (id: number, field: string) => {
    const [, kilobytes] = readFileSync(`/proc/${id}/status`, 'latin1').match(`${field}:\\s+(\\d+)`) ?? []
    return Number(kilobytes ?? 0) / 1024
  }
  const most = (id: number) => read(id, 'VmHWM')
  const own = (id: number) => read(id, 'RssAnon') + read(id, 'VmSwap')
  const watched = processes.map((id) => ({ id, empty: most(id), ownEmpty: own(id), own: 0 }))
  const timer = setInterval(() => {
    for (const one of watched) one.own = Math.max(one.own, own(one.id))
  }, WATCH_EVERY_MS)
  return () => {
    clearInterval(timer)
    const [largest] = watched
      .map((one) => ({ ...one, most: most(one.id) }))
      .sort((one, other) => other.most - one.most)
    if (!largest) throw new Error('There is no process for a page.')
    return largest
  }
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { WebSocket } from 'ws'
import { browserPath, launchBrowser } from '#support/browser/browser'
import { serveStudio } from '#support/browser/serveStudio'
import { ffmpeg, film } from '#support/media/media'
import { freePort } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { median } from './measure'

const ROUNDS = 3
const LISTED = 14
const RESULTS = 20
const SLOWED = 6

/**
 * The page alone, without any service: times from the choice of a file to its first picture and from the order to the photo, the most
 * memory that the page's process had of its own, and the longest tasks at a sixth of the processor's speed.
 */
export async function benchStudio(): Promise<void> {
  if (browserPath === undefined) return console.log('\nstudio: skipped, Chromium is not installed')
  const folder = await makeTempFolder('lantern-bench')
  const { server, url } = await serveStudio()
  try {
    const files = await makeFiles(folder)
    console.log('\nthe studio: goals ≤ 300 ms, ≤ 1000 ms out of an hour, ≤ 300 MB, ≤ 200 ms for a task')
    for (const [name, file] of Object.entries(files.single)) await benchFile(url, name, file)
    await benchFile(url, 'an hour', files.hour, SET_TIMES)
    await benchList(url, files.list)
    await benchResults(url, files.single['1080p'])
    await benchTasks(url, files.single['1080p'])
  } finally {
    server.closeAllConnections()
    server.close()
    await removeFolders(folder)
  }
}

async function benchFile(url: string, name: string, file: string, choose?: string): Promise<void> {
  const rounds: { picture: number; photo: number; memory: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    await withStudio(url, async ({ run, setFiles, memory }) => {
      await setFiles([file])
      await run(`until(() => watched.picture && document.querySelector('.editor > .main'))`)
      if (choose) await run(choose)
      await run(MAKE)
      const { picture, photo } = await run<Watched>('until(() => watched.photo).then(() => watched)')
      await sleep(1000)
      rounds.push({ picture, photo, memory: memory() })
    })
  const middle = (of: keyof (typeof rounds)[number]) => median(rounds.map((one) => one[of])).toFixed(0)
  console.log(
    `  ${name}: first picture ${middle('picture')} ms, photo ${middle('photo')} ms, ${middle('memory')} MB at its peak`,
  )
}

async function benchList(url: string, files: readonly string[]): Promise<void> {
  await withStudio(url, async ({ run, setFiles, memory }) => {
    await setFiles(files)
    await run(`until(() => document.querySelectorAll('.thumbnail img').length === ${LISTED})`)
    const listed = memory()
    await run(`document.querySelector('.bar .main').click()`)
    await run(`until(() => document.querySelectorAll('.files li.made').length === ${LISTED})`)
    await sleep(1000)
    console.log(`  ${LISTED} files: ${listed.toFixed(0)} MB listed, ${memory().toFixed(0)} MB all made`)
  })
}

async function benchResults(url: string, file: string): Promise<void> {
  await withStudio(url, async ({ run, setFiles, memory }) => {
    await setFiles([file])
    await run(`until(() => document.querySelector('.editor > .main'))`)
    for (let made = 1; made <= RESULTS; made += 1) {
      await run(MAKE)
      await run(`until(() => document.querySelectorAll('.result').length === ${made})`)
    }
    await sleep(1000)
    console.log(`  ${RESULTS} photos of one video: ${memory().toFixed(0)} MB`)
  })
}

async function benchTasks(url: string, file: string): Promise<void> {
  await withStudio(
    url,
    async ({ run, setFiles, send }) => {
      const longest = async () => Math.max(0, ...(await run<number[]>('watched.tasks.splice(0)'))).toFixed(0)
      const tasks = [`page ${await longest()}`]
      await setFiles([file])
      await run(`until(() => document.querySelector('.editor > .main'))`)
      await sleep(4000)
      tasks.push(`opening ${await longest()}`)
      const [x, y] = await run<[number, number]>(
        `(() => { const { x, y, width, height } = document.querySelector('.handle.end').getBoundingClientRect(); return [x + width / 2, y + height / 2] })()`,
      )
      const mouse = (type: string, by: number) =>
        send('Input.dispatchMouseEvent', { type, x: x - by, y, button: 'left', buttons: 1, clickCount: 1 })
      await mouse('mousePressed', 0)
      for (let by = 2; by <= 80; by += 2) {
        await mouse('mouseMoved', by)
        await sleep(16)
      }
      await mouse('mouseReleased', 80)
      await sleep(1500)
      tasks.push(`dragging ${await longest()}`)
      await run(MAKE)
      await run('until(() => watched.photo)')
      await sleep(2000)
      tasks.push(`making ${await longest()}`)
      console.log(`  longest tasks at 1/${SLOWED} of the speed, in ms: ${tasks.join(', ')}`)
    },
    SLOWED,
  )
}

type Studio = {
  readonly send: (method: string, params?: object) => Promise<unknown>
  readonly run: <T>(expression: string) => Promise<T>
  readonly setFiles: (files: readonly string[]) => Promise<void>
  /** The most so far, in MB. */
  readonly memory: () => number
}

/** For each its own browser: a process of a page that was closed may serve the next. @param slowed how many times */
async function withStudio(url: string, use: (studio: Studio) => Promise<void>, slowed = 1): Promise<void> {
  const port = await freePort()
  const browser = await launchBrowser([], `--remote-debugging-port=${port}`)
  try {
    await use(await openStudio(`http://127.0.0.1:${port}/json`, url, browser, slowed))
  } finally {
    await browser.close()
  }
}

/** Not by Playwright: for it a browser keeps in the page's process what the page reads. */
async function openStudio(debugging: string, url: string, browser: Browser, slowed: number): Promise<Studio> {
  const target = await (await fetch(`${debugging}/new?about:blank`, { method: 'PUT' })).json()
  const { webSocketDebuggerUrl } = target as { webSocketDebuggerUrl: string }
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  const answers = new Map<number, (result: unknown) => void>()
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) answers.get(id)?.(result)
  })
  let asked = 0
  const send = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      asked += 1
      answers.set(asked, resolve)
      socket.send(JSON.stringify({ id: asked, method, params }))
    })
  const evaluate = async (expression: string, isByValue: boolean) =>
    ((await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: isByValue })) as Answer)
      .result
  const run = async <T>(expression: string) => (await evaluate(expression, true)).value as T
  await send('Page.enable')
  await send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH })
  await send('Emulation.setCPUThrottlingRate', { rate: slowed })
  await send('Page.navigate', { url })
  await sleep(2500)
  const memory = watchMemory(await pagesOf(browser))
  const setFiles = async (files: readonly string[]) => {
    const { objectId } = await evaluate('document.querySelector("input[type=file]")', false)
    await send('DOM.setFileInputFiles', { files, objectId })
  }
  return { send, run, setFiles, memory }
}

type Answer = { readonly result: { readonly objectId?: string; readonly value?: unknown } }
type Watched = { readonly picture: number; readonly photo: number }

/** The processes for pages. */
async function pagesOf(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

async function makeFiles(folder: string) {
  const run = (...args: readonly string[]) => ffmpeg(args)
  const at = (name: string) => join(folder, name)
  const single = {
    '1080p': at('1080p.mp4'),
    upright: at('upright.mp4'),
    'turned by its header': at('turned.mp4'),
    '2160p': at('2160p.mp4'),
  }
  const rated = (rate: string) => ['-g', '60', '-b:v', rate]
  await run(...film('1920x1080', 10, 'sound'), ...rated('12M'), single['1080p'])
  await run(...film('1080x1920', 10, 'sound'), ...rated('12M'), single.upright)
  const copied = ['-i', single['1080p'], '-c', 'copy']
  // Before FFmpeg 6 it is a field of the output.
  await run('-display_rotation', '90', ...copied, single['turned by its header']).catch(() =>
    run(...copied, '-metadata:s:v', 'rotate=90', single['turned by its header']),
  )
  await run(...film('3840x2160', 10, 'sound'), ...rated('40M'), single['2160p'])
  const list = Array.from({ length: LISTED }, (_, number) => at(`listed${number}.mp4`))
  for (const [number, path] of list.entries())
    await copyFile(number % 2 === 0 ? single['1080p'] : single.upright, path)
  return { single, list, hour: await makeHour(run, at) }
}

/** A minute, over and over: an hour of its own would take half an hour to encode. */
async function makeHour(
  run: (...args: readonly string[]) => Promise<unknown>,
  at: (name: string) => string,
): Promise<string> {
  const rate = '-g 60 -b:v 4500k -minrate 4500k -maxrate 4500k -bufsize 4500k'.split(' ')
  await run(...film('1920x1080', 60, 'sound'), ...rate, '-x264-params', 'nal-hrd=cbr', at('minute.mp4'))
  await run('-stream_loop', '59', '-i', at('minute.mp4'), '-c', 'copy', at('hour.mp4'))
  return at('hour.mp4')
}

const MAKE = `document.querySelector('.editor > .main').click()`

/** Milliseconds from the choice of the file to a picture of it, and from the click to the photo; and of each long task. */
const WATCH = `{
  globalThis.watched = { tasks: [] }
  globalThis.until = async (is) => { while (!is()) await new Promise((resolve) => setTimeout(resolve, 10)) }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  let chosen, ordered
  addEventListener('change', ({ target }) => { if (target.type === 'file') chosen = performance.now() }, true)
  addEventListener('click', () => { ordered = performance.now() }, true)
  const look = () => {
    const video = document.querySelector('video')
    if (watched.picture === undefined && chosen && video?.videoWidth > 0 && video.readyState >= 2) watched.picture = performance.now() - chosen
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

/** Watches the memory that processes have of their own, as the browser's task manager tells it. @returns the most that one had, in MB */
function watchMemory(processes: readonly number[]): () => number {
  const read = (id: number, field: string) => {
    const [, kilobytes] = status(id).match(`${field}:\\s+(\\d+)`) ?? []
    return Number(kilobytes ?? 0) / 1024
  }
  let most = 0
  const watch = () => {
    most = Math.max(most, ...processes.map((id) => read(id, 'RssAnon') + read(id, 'VmSwap')))
  }
  setInterval(watch, WATCH_EVERY_MS).unref()
  return () => most
}

/** Nothing when the process has ended. */
function status(id: number): string {
  try {
    return readFileSync(`/proc/${id}/status`, 'latin1')
  } catch {
    return ''
  }
}

import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { browserPath, launchBrowser, WHY_NO_BROWSER } from '#support/browser/browser'
import { startNodeHost } from '#support/hosts/hosts'
import { openPort } from '#support/process/openPort'
import { startRoomProcess } from '#support/room/roomProcess'
import { median } from './measure'

const ROUNDS = 11
const GOALS = { paintMs: 100, kilobytes: 60 }

/** What is opened, and in which language of the browser. */
type Target = { readonly name: string; readonly url: string; readonly locale: string }
type Times = { readonly first: number; readonly largest: number }

/** Both pages: their size, and the time from the response to the first paint of their content, and to that of their largest part. */
export async function benchPages(): Promise<void> {
  if (!browserPath) return console.log(`\npages: skipped, ${WHY_NO_BROWSER}`)
  console.log('\npages: size of all that a page loads; first and largest contentful paint after its response')
  // A page of one word, for what the browser and the machine take by themselves.
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<p>one</p>'),
  )
  const plain = `http://127.0.0.1:${await openPort(server)}/`
  const room = await startRoomProcess()
  const media = await startNodeHost()
  try {
    await measure([
      { name: 'one word', url: plain, locale: 'en-US' },
      { name: 'room page', url: room.url, locale: 'en-US' },
      { name: 'room page, Chinese', url: room.url, locale: 'zh-CN' },
      { name: 'studio', url: media.url, locale: 'en-US' },
      { name: 'studio, Chinese', url: media.url, locale: 'zh-CN' },
    ])
  } finally {
    server.close()
    await room.close()
    await media.stop()
  }
}

/** In turns, so that what else the machine does hits all of them. */
async function measure(targets: readonly Target[]): Promise<void> {
  const browser = await launchBrowser()
  const times = new Map<Target, Times[]>(targets.map((target) => [target, []]))
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const target of targets) times.get(target)?.push(await timesOf(browser, target))
    }
  } finally {
    await browser.close()
  }
  const [plain] = times.values()
  const usual = median((plain ?? []).map(({ first }) => first))
  for (const [{ name, url }, found] of times) {
    const page = new Uint8Array(await (await fetch(url)).arrayBuffer())
    const first = found.map((one) => one.first)
    console.log(
      `  ${name.padEnd(19)} ${(gzipSync(page).length / 1000).toFixed(1)} kB gzip, goal ≤ ${GOALS.kilobytes}` +
        `   first paint ${median(first).toFixed(0)} ms (${Math.min(...first).toFixed(0)}–${Math.max(...first).toFixed(0)}),` +
        ` ${(median(first) / usual).toFixed(1)} × one word, goal ≤ ${GOALS.paintMs}` +
        `   largest ${median(found.map(({ largest }) => largest)).toFixed(0)} ms`,
    )
  }
}

const LARGEST = `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
  .observe({ type: 'largest-contentful-paint', buffered: true }))`
/** After this the page is drawn, and its largest part known. */
const DRAWN_MS = 1000

/** Milliseconds from the end of the response. The pages' policy forbids Playwright's own waiting. */
async function timesOf(browser: Browser, { url, locale }: Target): Promise<Times> {
  const context = await browser.newContext({ locale })
  try {
    const tab = await context.newPage()
    await tab.goto(url)
    let first = -1
    while (first < 0) {
      await sleep(10)
      first = Number(
        await tab.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1'),
      )
    }
    await sleep(DRAWN_MS)
    const largest = Number(await tab.evaluate(LARGEST))
    const responded = Number(await tab.evaluate('performance.getEntriesByType("navigation")[0].responseEnd'))
    return { first: first - responded, largest: largest - responded }
  } finally {
    await context.close()
  }
}

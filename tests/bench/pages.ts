import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { browserPath, launchBrowser, WHY_NO_BROWSER } from '#support/browser/browser'
import { startNodeHost } from '#support/hosts/hosts'
import { startRoomProcess } from '#support/room/roomProcess'
import { median } from './measure'

const ROUNDS = 9
const GOALS = { paintMs: 100, kilobytes: 60 }

/** Both pages: their size, and the time from the response to the first paint of their content. */
export async function benchPages(): Promise<void> {
  if (!browserPath) return console.log(`\npages: skipped, ${WHY_NO_BROWSER}`)
  console.log('\npages: size of all that a page loads, and first contentful paint after its response')
  // A page of one word, for what the browser and the machine take by themselves.
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<p>one</p>'),
  )
  const plain = await new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    ),
  )
  const room = await startRoomProcess()
  const media = await startNodeHost()
  try {
    await measure('one word', plain)
    await measure('room page', room.url)
    await measure('studio', media.url)
  } finally {
    server.close()
    await room.close()
    await media.stop()
  }
}

/** Milliseconds from the end of the response to the first paint. The pages' policy forbids Playwright's own waiting. */
async function firstPaintOf(tab: Page): Promise<number> {
  const painted = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1'
  let paintedAt = -1
  while (paintedAt < 0) {
    await sleep(10)
    paintedAt = Number(await tab.evaluate(painted))
  }
  return paintedAt - Number(await tab.evaluate('performance.getEntriesByType("navigation")[0].responseEnd'))
}

async function measure(name: string, url: string): Promise<void> {
  const page = new Uint8Array(await (await fetch(url)).arrayBuffer())
  const kilobytes = gzipSync(page).length / 1000
  const browser = await launchBrowser()
  const paints: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await browser.newContext()
      const tab = await context.newPage()
      await tab.goto(url)
      paints.push(await firstPaintOf(tab))
      await context.close()
    }
  } finally {
    await browser.close()
  }
  console.log(
    `  ${name.padEnd(10)} ${kilobytes.toFixed(1)} kB gzip, goal ≤ ${GOALS.kilobytes}` +
      `   first paint ${median(paints).toFixed(0)} ms (${Math.min(...paints).toFixed(0)}–${Math.max(...paints).toFixed(0)}), goal ≤ ${GOALS.paintMs}`,
  )
}

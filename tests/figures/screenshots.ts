import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { launchBrowser, openPage } from '#support/browser/browser'
import { type Host, startNodeHost } from '#support/hosts/hosts'
import { ffmpegPath } from '#support/media/media'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { removeFolders } from '#support/process/tempFolder'
import { startRoomProcess } from '#support/room/roomProcess'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { shownFailure } from '#support/room/shownFailure'
import { startWorld } from '#support/room/testWorld'
import { eventually } from '#support/values/until'

const FOLDER = 'dist/screenshots'
/** How the pages are photographed: both languages and both colour schemes, on a computer and on a small phone. */
const LOOKS = [
  { name: '1280-en-light', width: 1280, locale: 'en-US', colorScheme: 'light' },
  { name: '1280-zh-dark', width: 1280, locale: 'zh-CN', colorScheme: 'dark' },
  { name: '360-zh-light', width: 360, locale: 'zh-CN', colorScheme: 'light' },
  { name: '360-en-dark', width: 360, locale: 'en-US', colorScheme: 'dark' },
] as const

type Shoot = (state: string, then?: (page: Page) => Promise<unknown>) => Promise<void>

/** Photographs every state of both pages. */
export async function takeScreenshots(): Promise<void> {
  await removeFolders(FOLDER)
  await mkdir(FOLDER, { recursive: true })
  const browser = await launchBrowser()
  try {
    await withPages('room', takeRoom)
    await withPages('room', takeMeeting)
    await withPages('studio', takeStudio)
  } finally {
    await browser.close()
  }
  console.log(`The screenshots are in ${resolve(FOLDER)}.`)

  async function withPages(
    name: string,
    take: (open: (url: string) => Promise<Shoot>) => Promise<void>,
  ): Promise<void> {
    await take(async (url) => {
      const pages = await Promise.all(
        LOOKS.map(({ width, locale, colorScheme }) =>
          openPage(browser, url, { viewport: { width, height: 800 }, locale, colorScheme }),
        ),
      )
      return async (state, then = () => Promise.resolve()) => {
        for (const [at, page] of pages.entries()) {
          await then(page)
          await page.waitForTimeout(400)
          const path = join(FOLDER, `${name}-${state}-${LOOKS[at]?.name}.png`)
          await page.screenshot({ path, fullPage: true })
        }
      }
    })
  }
}

async function takeRoom(open: (url: string) => Promise<Shoot>): Promise<void> {
  const { roomNetwork } = createMemoryNetwork()
  const world = await startWorld({ announced: true, motd: 'Alex - Lighthouse' })
  const alex = await openServedTarget(roomNetwork)
  const steve = await openServedTarget(roomNetwork)
  try {
    const [host, guest] = [await open(alex.url), await open(steve.url)]
    await host('idle')
    await host('opening', async (page) => {
      await page.locator('.tile').first().click()
      await page.locator('.world').waitFor()
      await page.locator('.more summary').click()
    })
    await guest('code', async (page) => {
      await page.locator('.tile').last().click()
      await page.locator('textarea').fill('come and play: U/YNZE-U61D-2206-HXRH')
    })
    await post(alex, '/room/host/start', { playerName: 'Alex', gamePort: 1 })
    await host('scanning')
    await post(alex, '/room/stop', {})
    await post(alex, '/room/host/start', { playerName: 'Alex', gamePort: world.port, approval: true })
    await until(alex, 'host-ok')
    const { room } = alex.api.roomState.view()
    await post(steve, '/room/guest/start', { playerName: 'Steve', roomCode: room })
    await host('approval', (page) => page.locator('.asking').waitFor())
    await guest('waiting')
    const [waiting] = alex.api.roomState.view().guests
    await post(alex, `/room/guests/${waiting?.id}/approve`, {})
    await until(steve, 'guest-ok')
    steve.api.roomState.transition({
      stage: 'Error',
      role: 'guest',
      failure: shownFailure('host-not-found', 'No room with this code was found.', 'Guest_DiscoveringCenter'),
    })
    await guest('failed', (page) => page.locator('.failure').waitFor())
    steve.api.roomState.transition({
      stage: 'Error',
      role: 'guest',
      failure: shownFailure('room-closed', 'The host has closed the room.', 'Guest_Running'),
    })
    await guest('ended', (page) => page.locator('.ended').waitFor())
    await alex.stop()
    await host('away', (page) => page.locator('.parts[inert]').waitFor())
  } finally {
    await steve.stop()
    await world.close()
  }
}

/** By real programs, so that versions, transports and latencies are those of a room. */
async function takeMeeting(open: (url: string) => Promise<Shoot>): Promise<void> {
  const world = await startWorld({ announced: true, motd: 'Alex - Lighthouse' })
  const alex = await startRoomProcess()
  const steve = await startRoomProcess()
  try {
    const [host, guest] = [await open(alex.url), await open(steve.url)]
    await alex.ask('/room/host/start', { playerName: 'Alex', gamePort: world.port })
    await alex.until('Host_Running')
    const { roomCode } = await alex.status()
    await steve.join(roomCode ?? '', 'Steve')
    await steve.until('Guest_Running')
    await host('hosting', (page) => page.locator('.players li').nth(1).waitFor())
    await guest('joined', (page) => page.locator('.players li').nth(1).waitFor())
    await host('closing', (page) => page.locator('.status-line button').click())
    const { body } = await alex.ask('/room/invitation', { mods: ['sodium', 'lithium'] })
    const page = pathToFileURL(resolve('dist/local-runner/ui/invitation.html')).href
    await (await open(`${page}${String(body.link).replace('lantern-room:', '')}`))('invitation')
    await host('details', async (page) => {
      await page.locator('.status-line .notice button').first().click()
      for (const summary of await page.locator('details.card summary').all()) await summary.click()
    })
  } finally {
    await steve.close()
    await alex.close()
    await world.close()
  }
}

/** Leaves the photo, and sends a video that the browser cannot cut: the service keeps it. */
async function goOnLater(page: Page, video: string): Promise<void> {
  await page.evaluate('window.onbeforeunload = null')
  await page.reload()
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.timeline').waitFor()
  await page.reload()
}

async function takeStudio(open: (url: string) => Promise<Shoot>): Promise<void> {
  const video = join(FOLDER, 'holiday.mp4')
  const colours =
    'gradients=s=1280x720:c0=0x0b3c5d:c1=0xf4a259:c2=0xd1495b:c3=0x1d3557:n=4:speed=0.03:r=30:d=8'
  await promisify(execFile)(ffmpegPath, [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', colours, '-f', 'lavfi', '-i', 'sine=440:d=8'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', video],
  ])
  const sent = join(FOLDER, 'holiday.mkv')
  await promisify(execFile)(ffmpegPath, ['-v', 'error', '-y', '-i', video, '-c', 'copy', sent])
  const host = await startNodeHost()
  try {
    const shoot = await open(host.url)
    await shoot('empty')
    await shoot('working', (page) => page.setInputFiles('input[type=file]', video))
    await shoot('editing', (page) => page.locator('.editor > .main').waitFor())
    await shoot('converting', (page) => page.locator('.editor > .main').click())
    await shoot('done', (page) => page.locator('.result').waitFor())
    await shoot('earlier', (page) => goOnLater(page, sent))
    await shoot('refused', (page) => page.setInputFiles('input[type=file]', 'package.json'))
    await shoot('list', async (page) => {
      await page.setInputFiles('input[type=file]', ['package.json', video, sent])
      await page.getByRole('button', { name: /Make all|全部生成/ }).click()
      await page.locator('.files .made').nth(1).waitFor()
    })
  } finally {
    await host.stop()
  }
  await takeToken(open, sent)
}

async function takeToken(open: (url: string) => Promise<Shoot>, video: string): Promise<void> {
  const host: Host = await startNodeHost({ MEDIA_SERVICE_TOKEN: 'a-long-token' })
  try {
    const shoot = await open(host.url)
    await shoot('token', async (page) => {
      await page.setInputFiles('input[type=file]', video)
      await page.locator('input[type=password]').waitFor()
    })
  } finally {
    await host.stop()
  }
}

async function post(target: InnerTarget, path: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await target.send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

async function until(target: InnerTarget, state: string): Promise<void> {
  await eventually(
    async () => target.api.roomState.view().state,
    (now) => now === state,
    { ms: 20_000 },
  )
}

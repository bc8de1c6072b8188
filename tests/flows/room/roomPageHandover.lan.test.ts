import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { readRoomCode } from '@lantern-room/protocol'
import { accessProblems, type OpenPage } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { button, roomPageSuite } from '#support/browser/roomPageSuite'
import { openPort } from '#support/process/openPort'
import { assert } from '#support/runner/suite'

// What the room page hands over to friends, the page of an invitation, and how the host is called.

const suiteOfPage = roomPageSuite('the room page hands over and calls')
const { test, inBrowser, open, closing, startRoom, openWorld } = suiteOfPage

async function startHost(order: object = {}, settings: Record<string, string> = {}) {
  const world = await openWorld({})
  const room = await startRoom({ settings })
  await room.ask('/room/host/start', { playerName: 'Alex', gamePort: world.port, ...order })
  await room.until('Host_Running')
  return { room, code: (await room.status()).roomCode ?? '' }
}

/** The page of invitations as a web server has it that knows nothing of it. */
async function startWebServer(): Promise<string> {
  const html = await readFile('dist/local-runner/ui/invitation.html')
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return `http://127.0.0.1:${await openPort(server)}/join`
}

const clipboard = async (page: OpenPage) => String(await page.evaluate('navigator.clipboard.readText()'))

for (const [locale, isPrivate, copy, copied, programs, own] of [
  ['en-US', false, 'Copy the invitation', 'Copied', 'Terracotta (', 'private room'],
  ['zh-CN', true, '复制邀请', '已复制', '陶瓦联机（', '私密房间'],
] as const)
  inBrowser(`a message says the code and the programs that take it, in ${locale}`, async () => {
    const { room, code } = await startHost({ private: isPrivate })
    const page = await open(room.url, { locale })
    await button(page, copy).click()
    await says(page, copied)
    const message = await clipboard(page)
    assert.ok(message.split('\n').includes(code), message)
    assert.is(readRoomCode(message).code?.text, code)
    assert.equal([message.includes(programs), message.includes(own)], [!isPrivate, isPrivate])
    // A QR code leads to a page, or is not there.
    assert.is(await page.locator('.qr img').count(), 0)
    assert.equal(await accessProblems(page), [])
  })

inBrowser('an invitation leads from a message by a page to the room', async () => {
  const { room, code } = await startHost({}, { ROOM_INVITATION_PAGE: 'https://play.example.com/join' })
  const page = await open(room.url)
  await page.getByText('Link and QR code').click()
  assert.ok(await page.locator('.qr img').isVisible())
  await button(page, 'Copy the invitation').click()
  await says(page, 'Copied')
  const link = /https:\/\/play\.example\.com\/join(#\S+)/.exec(await clipboard(page))?.[1] ?? ''

  const address = await startWebServer()
  for (const [locale, title, action] of [
    ['en-US', 'Alex invites you into a Minecraft world', 'Open in Lantern Room'],
    ['zh-CN', 'Alex 邀请你加入 Minecraft 世界', '用灯笼房间打开'],
  ] as const) {
    const shown = await open(`${address}${link}`, { locale })
    await says(shown, title)
    assert.is((await shown.locator('.code').innerText()).trim(), code)
    assert.ok(await shown.getByText('1.21.4').isVisible())
    const target = await shown.getByRole('link', { name: action }).getAttribute('href')
    assert.is(target, `lantern-room:${link}`)
    assert.equal(await accessProblems(shown), [])
    assert.equal(shown.complaints, [])
  }
  const guest = await open(`${address}${link.slice(0, 20)}`)
  await says(guest, 'This invitation is damaged')
  const evil = Buffer.from(JSON.stringify({ c: code, n: [], p: '<img src=x onerror=alert(1)>' }))
  await guest.goto(`${address}?hostile#1.${evil.toString('base64url')}.AA`)
  await says(guest, '<img src=x onerror=alert(1)>')

  await guest.goto(`${(await startRoom()).url}/#invitation=${encodeURIComponent(link.slice(1))}`)
  await says(guest, 'Invitation found.')
  assert.not.match(guest.url(), '#')
  await button(guest, 'Join').click()
  await says(guest, 'You are in.')
})

/** Notes what the page sounds and notifies. */
const LISTEN = `
window.heard = []
const start = OscillatorNode.prototype.start
OscillatorNode.prototype.start = function (at) { heard.push('tone'); start.call(this, at) }
window.Notification = class { static permission = 'default'
  static requestPermission() { return Promise.resolve(this.permission = PERMISSION) }
  constructor(title, { body }) { heard.push(body) } }`

inBrowser('the host is called by title, sound and notification, and sees who comes and leaves', async () => {
  const { room, code } = await startHost({ approval: true })
  const host = await open(room.url)
  await host.addInitScript(LISTEN.replace('PERMISSION', "'granted'"))
  await host.reload()
  await button(host, 'Notify me when someone comes or asks to join').click()
  const guest = await startRoom()
  await guest.join(code, 'Steve')
  await button(host, 'Let in Steve')
    .or(host.getByRole('button', { name: 'Let in Steve' }))
    .waitFor()
  assert.is(await host.title(), '(1) Steve wants to join')
  assert.equal(await host.evaluate('heard'), ['tone', 'tone', 'Steve wants to join'])
  // The request is above all else of the room.
  const first = host.locator('.parts > section').first()
  assert.ok(await first.getByRole('button', { name: 'Let in Steve' }).isVisible())
  assert.equal(await accessProblems(host), [])
  await host.getByRole('button', { name: 'Let in Steve' }).click()
  await says(host, 'Steve came in')
  assert.is(await host.title(), 'Lantern Room')
  await guest.until('Guest_Running')
  await guest.ask('/room/stop', {})
  await says(host, 'Steve left')
  assert.equal(await accessProblems(host), [])
})

inBrowser(
  'what the browser refuses is told, and the status is led to after each change of role',
  async () => {
    const { room } = await startHost()
    const page = await open(room.url, { viewport: { width: 360, height: 640 } })
    await page.addInitScript(LISTEN.replace('PERMISSION', "'denied'"))
    await page.reload()
    await button(page, 'Notify me when someone comes or asks to join').click()
    await says(page, 'This browser blocks notifications')
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('NotAllowedError'))")
    await button(page, 'Copy the code only').click()
    await page
      .locator('.copy', { hasText: 'Copy the code only' })
      .getByText('Copying was not allowed')
      .waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await room.ask('/room/stop', {})
    await says(page, 'Play together')
    await page.waitForFunction("document.activeElement?.matches('.status h2')")
    assert.ok(await page.evaluate('document.activeElement.getBoundingClientRect().top >= 0'))
  },
)

test.run()

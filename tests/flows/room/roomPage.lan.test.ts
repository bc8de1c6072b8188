import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { FailureCode } from '@lantern-room/room'
import { chinese as chineseWords } from '@lantern-room/room/words'
import { accessProblems, type OpenPage, tabTo } from '#support/browser/browser'
import { choose, says } from '#support/browser/browserOfSuite'
import { roomPageSuite } from '#support/browser/roomPageSuite'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { freePort } from '#support/process/serverProcess'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { hintOf, shownFailure } from '#support/room/shownFailure'
import { assert } from '#support/runner/suite'

// The room page in a real browser, as a player uses it, against the built service.

const suiteOfPage = roomPageSuite('the room page', 120_000)
const { test, inBrowser, open, closing, startRoom, startTarget, openWorld, makeFolder } = suiteOfPage

const CODE = /^U\/[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/
const LOCALES = ['en-US', 'zh-CN'] as const
const LOOKS = [
  { locale: 'en-US', colorScheme: 'light' },
  { locale: 'zh-CN', colorScheme: 'dark' },
] as const

/** For tests of the page that begin nothing. */
let idle: InnerTarget
test.before(async () => {
  idle = await openServedTarget(createMemoryNetwork().roomNetwork)
})
test.after(() => idle?.stop())

/** The pages of two services in this process, which meet in memory. */
async function openTwo(): Promise<readonly [OpenPage, OpenPage]> {
  const { roomNetwork } = createMemoryNetwork()
  const [host, guest] = [await openServedTarget(roomNetwork), await openServedTarget(roomNetwork)]
  closing.push(host.stop, guest.stop)
  return [await open(host.url), await open(guest.url)]
}

const codeOf = async (page: OpenPage) => (await page.locator('.code').first().innerText()).trim()

/** Two players who have met by their pages, in a world that is announced. */
async function meet() {
  const world = await openWorld({ announced: true, motd: 'Alex - Castle' })
  const [host, guest] = [await open((await startRoom()).url), await open((await startRoom()).url)]
  await choose(host, 'host')
  await host.getByLabel('Your name').fill('Alex')
  await host.getByRole('radio', { name: /Alex - Castle/ }).check()
  await host.getByRole('button', { name: 'Open a room' }).click()
  await says(host, 'Your room is open. Send the code to your friends.')
  const code = await codeOf(host)
  await choose(guest, 'guest')
  await guest.getByLabel('Your name').fill('Steve')
  await guest.getByLabel('Room code').fill(`come and play: ${code.toLowerCase()} !`)
  await says(guest, `Code found: ${code}`)
  await guest.getByRole('button', { name: 'Join', exact: true }).click()
  await says(guest, 'You are in. Open Multiplayer in the game: the world is in the list.')
  return { world, host, guest, code }
}

inBrowser('two players meet by two pages, see each other, and play', async () => {
  const { world, host, guest, code } = await meet()
  assert.match(code, CODE)
  await host.getByRole('button', { name: 'Copy the code only' }).click()
  await says(host, 'Copied')
  assert.is(await host.evaluate('navigator.clipboard.readText()'), code)
  for (const page of [host, guest]) {
    await page.locator('.players li').nth(1).waitFor()
    const players = await page.locator('.players').innerText()
    for (const part of ['Alex', 'Steve', 'Host', 'LanternRoom']) assert.ok(players.includes(part), players)
  }
  // The service measures every three seconds.
  for (const page of [host, guest]) {
    await page
      .locator('.players')
      .getByText(/(Good|Fair|Poor) · direct · \d+ ms/)
      .waitFor()
  }
  const address = await guest.locator('.code').last().innerText()
  const port = Number(address.split(':')[1] ?? 25_565)
  assert.is(await world.echoThrough(port, 'echo hello'), 'echo hello')
  assert.equal([...host.complaints, ...guest.complaints], [])
})

inBrowser(
  'a host is asked before a room with players closes, and the guest is told why it ended',
  async () => {
    const { host, guest, code } = await meet()
    await host.locator('.players li').nth(1).waitFor()
    await host.getByRole('button', { name: 'Close the room' }).click()
    await says(host, 'One player is in your room and loses the world when you close it.')
    assert.equal(await accessProblems(host), [])
    await host.keyboard.press('Enter')
    assert.is((await codeOf(host)) === code && (await guest.locator('.status.good').isVisible()), true)
    await host.getByRole('button', { name: 'Close the room' }).click()
    await host.getByRole('button', { name: 'Close it for everyone' }).click()
    await says(host, 'Play together: open a room, or join one.')
    await says(guest, hintOf('room-closed'))
    // It ended as it should: nothing looks like an error.
    assert.ok(await guest.locator('.status.idle').isVisible())
    assert.is(await guest.locator('.failure, .steps').count(), 0)
    assert.ok(await guest.getByRole('button', { name: 'Join again' }).isVisible())
    await guest.getByRole('button', { name: 'Back' }).click()
    await says(guest, 'Play together')
    assert.equal([...host.complaints, ...guest.complaints], [])
  },
)

inBrowser('the host invites a friend by a link, lets them in, and removes them', async () => {
  const world = await openWorld({})
  const [host, guest] = await openTwo()
  await choose(host, 'host')
  await host.getByLabel('Your name').fill('Alex')
  await host.getByText('More', { exact: true }).click()
  await host.getByLabel('Ask me before a friend comes in').check()
  await host.getByText('My world is not in the list').click()
  await host.getByLabel('Port of the world').fill(String(world.port))
  await host.getByRole('button', { name: 'Open a room' }).click()
  await says(host, 'Your room is open.')
  await choose(guest, 'guest')
  await guest.getByLabel('Your name').fill('Steve')
  await host.getByText('Link for friends who have Lantern Room').click()
  await guest.getByLabel('Room code').fill(`Join us: ${await host.locator('.qr .hint').innerText()}`)
  await says(guest, 'Invitation found.')
  await guest.getByRole('button', { name: 'Join', exact: true }).click()
  await says(guest, 'Waiting for the host to let you in')
  await host.getByRole('button', { name: 'Let in Steve' }).click()
  await says(guest, 'You are in.')
  await guest.locator('summary', { hasText: 'Log' }).click()
  // Of quicker steps the page may miss the beginning.
  assert.match(await guest.locator('.steps .done .step-time').nth(2).innerText(), /^\d+\.\d s$/)
  await host.getByRole('button', { name: 'Remove Steve from the room' }).click()
  await says(guest, hintOf('removed'))
  assert.is(await guest.locator('.failure').count(), 0)
  await says(host, 'Steve was removed and cannot come back.')
  assert.equal(await accessProblems(host), [])
  await host.getByRole('button', { name: 'Undo: let in again' }).click()
  await host.getByText('Steve was removed').waitFor({ state: 'detached' })
  // It is for the host alone to change that: the way back is the code.
  assert.is(await guest.getByRole('button', { name: 'Join again' }).count(), 0)
  await guest.getByRole('button', { name: 'Back' }).click()
  await guest.getByLabel('Room code').fill(await codeOf(host))
  await guest.getByRole('button', { name: 'Join', exact: true }).click()
  await says(guest, 'You are in.')
})

inBrowser('a private room with another host than before is joined only when the player says so', async () => {
  const world = await openWorld({})
  const guest = await open((await startRoom()).url)
  const host = async (room?: string) => {
    const process = await startRoom()
    const { status } = await process.ask('/room/host/start', { gamePort: world.port, private: true, room })
    assert.is(status, 200)
    await process.until('Host_Running')
    return { code: (await process.status()).roomCode ?? '', close: () => process.ask('/room/stop', {}) }
  }
  const first = await host()
  await choose(guest, 'guest')
  await guest.getByLabel('Your name').fill('Steve')
  await join(first.code)
  await says(guest, 'You are in.')
  await first.close()
  await says(guest, hintOf('room-closed'))
  await guest.getByRole('button', { name: 'Back' }).click()

  const second = await host(first.code)
  await join(second.code)
  await says(guest, hintOf('host-changed'))
  await guest.getByRole('button', { name: 'Join the new host' }).click()
  await says(guest, 'You are in.')
  // It is known from then on.
  await guest.getByRole('button', { name: 'Leave the room' }).click()
  await join(second.code)
  await says(guest, 'You are in.')
  assert.equal(guest.complaints, [])

  async function join(code: string) {
    await guest.getByLabel('Room code').fill(code)
    await guest.getByRole('button', { name: 'Join', exact: true }).click()
  }
})

inBrowser(
  'a code is checked while it is typed, on a page that fits 320 pixels and weighs at most 60 kB',
  async () => {
    const page = await open(idle.url, { viewport: { width: 320, height: 640 } })
    assert.ok(gzipSync(await (await fetch(page.url())).text()).length <= 60_000)
    await choose(page, 'guest')
    const field = page.getByLabel('Room code')
    for (const [text, answer] of [
      ['hello', /begins with "U\/"/],
      ['U/YNZE-U61D', /16 letters and digits/],
      ['U/YNZE-U61D-2206-HXRH', /one character of the room code is wrong/i],
      ['P/YNZE-U61D-2206-HXRG', /another kind of room/],
      ['U/YNZE-U61D-2206-HXRG', /Code found/],
      ['', /You can paste the whole message/],
    ] as const) {
      await field.fill(text)
      await says(page, answer)
    }
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await says(page, /Enter the room code that your friend sent you/)
    await choose(page, 'host')
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320)
    await page.getByText('My world is not in the list').click()
    await page.getByLabel('Port of the world').fill('70000')
    await says(page, /whole number from 1 to 65535/)
    await page.getByText('My world is not in the list').click()
    await page.getByRole('button', { name: 'Open a room', exact: true }).click()
    await says(page, /whole number from 1 to 65535/)
  },
)

const OF_NETWORK: ReadonlySet<FailureCode> = new Set([
  'no-relay-reachable',
  'no-internet',
  'wifi-login',
  'network-failed',
])
const ENDED: ReadonlySet<FailureCode> = new Set(['room-closed', 'removed', 'refused'])

function waysOn(code: FailureCode) {
  if (code === 'removed') return { english: ['Back'], chinese: ['返回'] }
  if (code === 'room-closed')
    return {
      english: ['Wait until it opens', 'Join again', 'Back'],
      chinese: ['等房间打开', '重新加入', '返回'],
    }
  if (ENDED.has(code)) return { english: ['Join again', 'Back'], chinese: ['重新加入', '返回'] }
  return { english: ['Try again', 'Back'], chinese: ['重试', '返回'] }
}

/** What the bar shows as failed while the host is looked for. */
function failedStep(code: FailureCode): readonly string[] {
  if (ENDED.has(code)) return []
  return OF_NETWORK.has(code) ? ['Connect'] : ['Find the host']
}

inBrowser('every failure is shown with its hint and both ways on, in English and Chinese', async () => {
  const target = await startTarget()
  const [english, chinese] = await Promise.all(LOCALES.map((locale) => open(target.url, { locale })))
  if (!english || !chinese) throw new Error('no page')
  for (const code of Object.keys(chineseWords.failures) as FailureCode[]) {
    const hint = hintOf(code)
    const detail = `What happened with ${code}.`
    target.api.roomState.transition({
      stage: 'Error',
      role: 'guest',
      room: 'L/YNZE-U61D-2206-HXRG',
      failure: shownFailure(code, detail, 'Guest_DiscoveringCenter'),
    })
    await Promise.all([says(english, detail), says(chinese, chineseWords.failures[code].error)])
    assert.ok(await english.getByText(hint).isVisible(), hint)
    assert.ok(await chinese.getByText(chineseWords.failures[code].hint).isVisible(), code)
    for (const [page, words] of [
      [english, waysOn(code).english],
      [chinese, waysOn(code).chinese],
    ] as const) {
      for (const word of words) assert.ok(await page.getByRole('button', { name: word }).isVisible(), word)
    }
    for (const [page, name] of [
      [english, 'Join the new host'],
      [chinese, '加入新的房主'],
    ] as const)
      assert.is(await page.getByRole('button', { name }).count(), code === 'host-changed' ? 1 : 0)
    const failed = await english.locator('.steps .failed .step-name').allInnerTexts()
    assert.equal(failed, failedStep(code))
  }
})

inBrowser('it goes on by itself after the service was killed and started again', async () => {
  const settings = { ROOM_PORT: String(await freePort()) }
  const dataDir = await makeFolder('room-page')
  const first = await startRoom({ settings, dataDir })
  const page = await open(first.url)
  await first.host('Alex', { gamePort: '1' })
  await says(page, 'Looking for your world')
  await first.kill()
  await says(page, 'The program does not answer; it may have been closed.')
  // Nothing is claimed or offered that may no longer be true.
  assert.ok(await page.locator('.status.idle').isVisible())
  assert.is(await page.getByText('Looking for your world').count(), 0)
  assert.is(await page.getByRole('button', { name: /Cancel|Check this computer/ }).count(), 0)
  await startRoom({ settings, dataDir })
  await says(page, 'Play together')
  await choose(page, 'host')
  await page.getByRole('button', { name: 'Open a room' }).waitFor()
  assert.equal(page.complaints, [])
})

inBrowser('a room is opened and joined by the keyboard alone', async () => {
  await openWorld()
  const [host, guest] = await openTwo()
  await tabTo(host, '.tile')
  await host.keyboard.press('Enter')
  await host.getByRole('radio').first().waitFor()
  await tabTo(host, 'input[autocomplete=nickname]')
  await host.keyboard.type('Alex')
  await tabTo(host, 'input[type=radio]')
  await host.keyboard.press('Space')
  assert.is(await host.getByRole('radio').first().isChecked(), true)
  await tabTo(host, 'form:has(input[type=radio]) button.main')
  await host.keyboard.press('Enter')
  await says(host, 'Your room is open.')
  await tabTo(guest, '.tile + .tile')
  await guest.keyboard.press('Space')
  await tabTo(guest, 'textarea')
  await guest.keyboard.type(await codeOf(host))
  await guest.keyboard.press('Enter')
  await says(guest, 'You are in.')
  await tabTo(guest, '.status-line button')
  assert.is(await guest.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid')
  await guest.keyboard.press('Enter')
  await says(guest, 'Play together')
})

inBrowser('axe finds nothing to object to, in both languages and all looks', async () => {
  const target = await startTarget()
  const pages = await Promise.all(LOOKS.map((look) => open(target.url, look)))
  const check = async (state: string, text: Readonly<Record<(typeof LOCALES)[number], string>>) => {
    for (const [at, page] of pages.entries()) {
      const look = LOOKS[at]
      await says(page, text[look?.locale ?? 'en-US'])
      assert.equal(await accessProblems(page), [], `${state}, ${JSON.stringify(look)}`)
    }
  }
  for (const page of pages) await page.locator('details.card').last().locator('summary').click()
  await check('idle', { 'en-US': 'Play together', 'zh-CN': '一起玩吧' })
  for (const page of pages) await choose(page, 'host')
  await check('opening', { 'en-US': 'No world found yet', 'zh-CN': '还没有找到世界' })
  for (const page of pages) await choose(page, 'guest')
  await check('joining', { 'en-US': 'You can paste the whole message', 'zh-CN': '可以粘贴整条消息' })
  await target.send('/state/scanning?player=Alex')
  await check('scanning', { 'en-US': 'Looking for your world', 'zh-CN': '正在寻找你的世界' })
  await target.send('/room/stop', { method: 'POST' })
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ playerName: 'Alex', waitForGame: false })
  await target.send('/room/host/start', { method: 'POST', headers, body })
  await check('hosting', { 'en-US': 'Your room is open', 'zh-CN': '房间已创建' })
  target.api.roomState.transition({
    stage: 'Error',
    role: 'host',
    failure: { code: 'game-gone', type: 4, detail: 'Gone.', hint: 'Hint.', stage: 'Host_Running' },
  })
  await check('failed', { 'en-US': 'Gone.', 'zh-CN': '世界已经没有响应了' })
})

inBrowser(
  'the language can be switched and stays, and nothing is asked for while nothing happens',
  async () => {
    const page = await open(idle.url, { locale: 'zh-CN' })
    await says(page, '我想当房主')
    assert.is(await page.evaluate('document.documentElement.lang'), 'zh-CN')
    await page.getByRole('button', { name: 'English' }).click()
    await says(page, 'I want to host')
    await page.reload()
    await says(page, 'I want to host')
    assert.is(await page.title(), 'Lantern Room')
    // The feed is open, and the page has caught up.
    const hasCaughtUp = `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/game/servers'))`
    while (!(await page.evaluate(hasCaughtUp))) await page.waitForTimeout(50)
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.waitForTimeout(3000)
    assert.equal(asked, [])
  },
)

inBrowser('with a token it asks for it, or takes it from the address', async () => {
  const { url } = await startRoom({ settings: { ROOM_API_TOKEN: 'secret-word' } })
  const page = await open(url)
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Continue' }).click()
  await says(page, 'That token is not right')
  await page.getByLabel('Token').fill('secret-word')
  await page.getByRole('button', { name: 'Continue' }).click()
  await says(page, 'Play together')
  const stored = await page.evaluate(
    '[JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]',
  )
  assert.match(String(stored), /^\{"token":"secret-word"\},\{[^}]*\},$/)

  await page.evaluate('sessionStorage.clear()')
  await page.goto('about:blank')
  await page.goto(`${url}/#token=secret-word`)
  await says(page, 'Play together')
  assert.is(page.url(), `${url}/`)
})

inBrowser('the log is filtered, paused and downloaded, and says no secret', async () => {
  const room = await startRoom()
  const page = await open(room.url)
  await says(page, 'Play together')
  const code = await room.host('Alex', { gamePort: '1' })
  await says(page, 'Looking for your world')
  await page.locator('summary', { hasText: 'Log' }).click()
  const log = page.locator('.log')
  await log.getByText('hosting').first().waitFor()
  await page.getByLabel('Filter').fill('nothing like this')
  await says(page, 'Nothing to show.')
  await page.getByLabel('Filter').fill('HOSTING')
  assert.ok((await log.locator('p').count()) > 0)
  await page.getByLabel('Show from').selectOption('error')
  await says(page, 'Nothing to show.')
  await page.getByLabel('Show from').selectOption('info')
  await page.getByLabel('Filter').fill('')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  assert.match(text, /hosting/)
  assert.not.ok(text.includes(code))
  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await log.innerText()
  await room.ask('/room/stop', {})
  await says(page, 'Play together')
  assert.is(await log.innerText(), before)
  await page.getByRole('button', { name: 'Continue' }).click()
  assert.is.not(await log.innerText(), before)
})

inBrowser('what is painted before the script has the shape of the page, and no words', async () => {
  const boxes = `['.top', '.status'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON())`
  type Box = { readonly top: number; readonly height: number }
  const frame = await open(idle.url, { javaScriptEnabled: false })
  assert.is(await frame.locator('.frame').innerText(), '')
  const page = await open(idle.url)
  await says(page, 'Play together')
  assert.is(await page.locator('.frame').count(), 0)
  for (const width of [1280, 360]) {
    for (const one of [frame, page]) await one.setViewportSize({ width, height: 800 })
    const [before, after] = [(await frame.evaluate(boxes)) as Box[], (await page.evaluate(boxes)) as Box[]]
    for (const [at, box] of after.entries()) {
      assert.is(before[at]?.top, box.top)
      assert.ok(Math.abs((before[at]?.height ?? 0) - box.height) < 2, JSON.stringify([before, after]))
    }
  }
})

inBrowser(
  'the computer is checked in both languages, and a report is saved without the room code',
  async () => {
    const room = await startRoom()
    const page = await open(room.url)
    await says(page, 'Play together')
    const code = await room.host('Alex', { gamePort: '1' })
    await page.locator('summary', { hasText: 'Troubleshooting' }).click()
    await page.getByRole('button', { name: 'Check this computer' }).click()
    const findings = page.locator('.findings li')
    await findings.filter({ hasText: 'data folder' }).waitFor()
    assert.ok((await findings.count()) > 5)
    assert.ok(await findings.filter({ hasText: 'no shared node is configured' }).isVisible())
    await page.getByRole('button', { name: '中文' }).click()
    await findings.filter({ hasText: '未配置公共节点' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '保存报告' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    assert.ok(JSON.parse(text).doctor.findings.length > 5)
    assert.not.ok(text.includes(code))
    assert.equal(await accessProblems(page), [])
    assert.equal([...page.complaints], [])
  },
)

inBrowser('a connection is one word with a colour, and more on demand', async () => {
  const target = await startTarget()
  const page = await open(target.url, { locale: 'zh-CN' })
  const machineId = '1'.repeat(32)
  target.api.roomState.transition({ stage: 'Host_Running', role: 'host', gamePort: 25_565 })
  target.api.roomState.update({ players: [{ name: 'Steve', machineId, vendor: 'v', kind: 'GUEST' }] })
  const rates = { sentBytesPerSecond: 12_300, receivedBytesPerSecond: 0 }
  const relayed = {
    code: 'strict-routers',
    text: 'Both routers are strict.',
    hint: 'Use a hotspot.',
  } as const
  const connection = { machineId, group: null, path: 'relay', carrier: 'tcp', ...rates } as const
  for (const [latencyMs, loss, colour, word] of [
    [41, 0, 'good', /良好 · 中转 · 41 毫秒/],
    [410, 0, 'poor', /较差 · 中转 · 410 毫秒/],
    [41, 0.05, 'fair', /一般 · 中转 · 41 毫秒/],
  ] as const) {
    const connections = [{ ...connection, latencyMs, loss, relayedBy: 'node', relayed } as const]
    target.api.roomState.update({ connections })
    await page.locator(`.connection > .${colour}`).filter({ hasText: word }).waitFor()
  }
  const row = page.locator('.players li').filter({ hasText: 'Steve' })
  await row.locator('summary').click()
  await row.getByText(/经中继转发 · 丢包 5%/).waitFor()
  await row.getByText(chineseWords.relayed['strict-routers'].hint).waitFor()
})

inBrowser('a host sees who fills the room', async () => {
  const target = await startTarget()
  const page = await open(target.url)
  const ids = Array.from({ length: 70 }, (_, at) => `member:${at}`)
  target.api.roomState.transition({ stage: 'Host_Running', role: 'host', gamePort: 25_565 })
  const measured = { path: 'direct', carrier: 'udp', latencyMs: 1, loss: 0, relayedBy: null } as const
  const rates = { sentBytesPerSecond: 0, receivedBytesPerSecond: 0, relayed: null }
  target.api.roomState.update({
    notice: { code: 'room-full', text: 'The room is full. Remove whom you do not know.' },
    guests: ids.map((id) => ({ id, name: 'guest', vendor: '', state: 'unregistered' })),
    connections: ids.map((machineId) => ({ machineId, group: 2, ...measured, ...rates })),
  })
  await says(page, 'Remove whom you do not know')
  const who = /70 connections\s*group 2\s*connected without a player/
  const rows = page.locator('.players li').filter({ hasText: who })
  await rows.getByRole('button', { name: 'Remove all' }).waitFor()
  assert.is(await rows.count(), 1)
})

test.run()

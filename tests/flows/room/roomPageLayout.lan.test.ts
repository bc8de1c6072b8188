import { gzipSync } from 'node:zlib'
import { accessProblems, browserPath, type OpenPage, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, choose, says } from '#support/browser/browserOfSuite'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openServedTarget } from '#support/room/roomTargets'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

// Where things are on the room page, that they stay there, and what is not to be seen.

const test = suite('the layout of the room page', { timeoutMs: 240_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

const { open, closing } = browserOfSuite(test)

const PERSIAN = 'شاهین ۲'
const PHONE = { width: 360, height: 640 }
const CODE = 'U/YNZE-U61D-2206-HXRG'

async function startTarget() {
  const target = await openServedTarget(createMemoryNetwork().roomNetwork)
  closing.push(target.stop)
  return target
}

async function openWorld(motd: string) {
  const world = await startWorld({ announced: true, motd })
  closing.push(world.close)
  return world
}

/** A room with as many players, the second of whom asks nothing of whoever reads from left to right. */
async function startHost(playerCount: number) {
  const { api, url } = await startTarget()
  api.roomState.transition({ stage: 'Host_Running', role: 'host', room: CODE, gamePort: 25_565 })
  const players = Array.from({ length: playerCount }, (_, at) => ({
    name: at === 1 ? PERSIAN : `Player ${at}`,
    machineId: String(at).padStart(32, '0'),
    vendor: 'v',
    kind: at === 0 ? ('HOST' as const) : ('GUEST' as const),
  }))
  api.roomState.update({ players })
  return { url, players, update: api.roomState.update }
}

const WAITING = { id: '9'.repeat(32), name: PERSIAN, vendor: 'v', state: 'waiting' } as const

function worldRecord(at: number, local: boolean) {
  const endPoint = `${local ? '127.0.0.1' : '192.168.7.9'}:${30_000 + at}`
  const status = { isVerified: true, version: '1.21.4', onlinePlayers: 1, maxPlayers: 8 }
  return { endPoint, motd: `World ${at}`, ...status, local, announced: true }
}

const heightOf = async (page: OpenPage) => Number(await page.evaluate('document.body.scrollHeight'))
/** Where everything is that can be pressed. */
const places = (page: OpenPage) =>
  page.evaluate(
    `JSON.stringify([...document.querySelectorAll('#content :is(button, input, summary)')].filter((one) => one.checkVisibility() && !one.closest('ul, .world'))
      .map((one) => [one.textContent, one.getBoundingClientRect().top]))`,
  )

inBrowser('22 worlds and 31 players stay compact, own worlds first and the shared one alone', async () => {
  const { url } = await startTarget()
  const servers = Array.from({ length: 22 }, (_, at) => worldRecord(at, at % 4 === 1))
  for (const locale of ['en-US', 'zh-CN']) {
    const page = await open(url, { viewport: PHONE, locale })
    await page.route('**/game/servers', (route) => route.fulfill({ json: { servers } }))
    await page.reload()
    await choose(page, 'host')
    await page.locator('.world').nth(5).waitFor()
    assert.equal(
      await page.locator('.world:visible strong').allInnerTexts(),
      [1, 5, 9, 13, 17, 21].map(worldName),
    )
    await page.getByText(/On other computers: 16|其他电脑上的世界：16 个/).click()
    assert.is(await page.locator('.world:visible').count(), 22)
    assert.equal(await accessProblems(page), [])
    assert.ok((await heightOf(page)) < 1600)
  }

  const host = await startHost(31)
  const page = await open(host.url, { viewport: PHONE })
  await page.route('**/game/servers', (route) =>
    route.fulfill({
      json: { servers: [worldRecord(0, true), { ...worldRecord(1, true), endPoint: '127.0.0.1:25565' }] },
    }),
  )
  await page.reload()
  await says(page, 'Player 30')
  assert.equal(await page.locator('.world:visible strong').allInnerTexts(), ['World 1'])
  assert.ok((await heightOf(page)) < 2000)
  assert.equal(await accessProblems(page), [])
  await page.getByText('Share another world').click()
  assert.equal(await page.locator('label.world:visible strong').allInnerTexts(), ['World 0', 'World 1'])
})

const worldName = (at: number) => `World ${at}`

inBrowser('a request, a world and a player that leaves move nothing that can be pressed', async () => {
  const { url, players, update } = await startHost(4)
  for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
    const page = await open(url, { viewport })
    await says(page, 'Nobody is asking to join.')
    const before = await places(page)
    update({ guests: [WAITING] })
    await page.getByRole('button', { name: /^Let in/ }).waitFor()
    assert.is(await places(page), before)

    const last = page.getByRole('button', { name: 'Remove Player 3 from the room' })
    await last.hover()
    const place = (await last.boundingBox())?.y
    update({ players: players.filter((_, at) => at !== 1) })
    await page.locator('.players .gone').waitFor()
    assert.is((await last.boundingBox())?.y, place)
    await page.mouse.move(0, 0)
    await page.locator('.players .gone').waitFor({ state: 'detached' })
    update({ guests: [], players })
  }

  const idle = await startTarget()
  const page = await open(idle.url)
  await choose(page, 'host')
  const before = await places(page)
  await openWorld('Alex - Castle')
  await page.getByRole('radio', { name: /Castle/ }).waitFor()
  assert.is(await places(page), before)
})

inBrowser(
  'a press shares the world that was on the screen, also when another one appears at that moment',
  async () => {
    const first = await openWorld('Alex - Castle')
    const { url, api } = await startTarget()
    const page = await open(url)
    await choose(page, 'host')
    await page.locator('.world input:checked').waitFor()
    await page.getByRole('button', { name: 'Open a room' }).hover()
    await page.mouse.down()
    await openWorld('Alex - Lighthouse')
    const servers = async () => (await (await fetch(`${url}/game/servers`)).json()) as { count: number }
    await eventually(servers, ({ count }) => count === 2)
    await page.mouse.up()
    await says(page, 'Your room is open.')
    assert.is(api.roomState.view().gamePort, first.port)
  },
)

inBrowser('names written from right to left are kept apart from the words around them', async () => {
  const { url, players, update } = await startHost(2)
  await openWorld(PERSIAN)
  const page = await open(url)
  await says(page, 'Nobody is asking to join.')
  update({
    guests: [WAITING, { ...WAITING, id: '8'.repeat(32), state: 'removed' }],
    players: players.slice(0, 1),
  })
  await says(page, `${PERSIAN} left`)
  await page.getByText('Share another world').click()
  await page.getByRole('radio').waitFor()
  const found = await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.querySelector('#content'), NodeFilter.SHOW_TEXT)
    const places = []
    while (texts.nextNode()) if (texts.currentNode.data.includes('${PERSIAN}')) places.push(texts.currentNode.parentNode.localName)
    return places
  })()`)
  assert.equal(found, ['bdi', 'bdi', 'bdi', 'bdi'])
})

inBrowser('codes are hidden from those who watch, and still copied', async () => {
  const { url } = await startHost(1)
  const page = await open(url)
  await page.getByText('Link for friends who have Lantern Room').click()
  await page.locator('.qr').waitFor()
  await page.getByLabel('Hide codes').check()
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload()
    await says(page, 'U/••••-••••-••••-••••')
    const seen = `${await page.content()} ${await page.title()} ${page.url()}`
    assert.not.match(seen, /YNZE|1\.ey/)
    await page.getByRole('button', { name: 'Copy the code only' }).click()
    await says(page, 'Copied')
    assert.is(await page.evaluate('navigator.clipboard.readText()'), CODE)
  }
  await page.getByLabel('Hide codes').uncheck()
  await says(page, CODE)

  const joining = await open((await startTarget()).url)
  await choose(joining, 'guest')
  await joining.getByText('More', { exact: true }).click()
  await joining.getByLabel('Hide codes').check()
  await joining.getByLabel('Room code').fill(CODE)
  await says(joining, 'Code found: U/••••-••••-••••-••••')
  assert.is(
    await joining.evaluate(`getComputedStyle(document.querySelector('textarea')).webkitTextSecurity`),
    'disc',
  )
})

inBrowser(
  'a connection is one word with a colour, and lamps and steps have shapes where colours are forced',
  async () => {
    const { url, players, update } = await startHost(4)
    const rest = {
      carrier: 'udp',
      sentBytesPerSecond: 0,
      receivedBytesPerSecond: 0,
      relayedBy: null,
      relayed: null,
    } as const
    const measured = [
      { path: 'direct', latencyMs: 18, loss: 0 },
      { path: 'lan', latencyMs: 20, loss: 0.05 },
      { path: 'relay', latencyMs: 410, loss: 0 },
    ] as const
    update({
      connections: measured.map((one, at) => ({
        ...one,
        ...rest,
        group: null,
        machineId: players[at + 1]?.machineId ?? '',
      })),
    })
    for (const [locale, words] of [
      ['en-US', ['Good · direct · 18 ms', 'Fair · direct · 20 ms', 'Poor · relayed · 410 ms']],
      ['zh-CN', ['良好 · 直连 · 18 毫秒', '一般 · 直连 · 20 毫秒', '较差 · 中转 · 410 毫秒']],
    ] as const) {
      const page = await open(url, { locale })
      const chips = page.locator('.connection summary')
      await chips.nth(2).waitFor()
      assert.equal(await chips.allInnerTexts(), words)
      const colours = `[...document.querySelectorAll('.connection summary')].map((one) => getComputedStyle(one).color)`
      assert.is(new Set((await page.evaluate(colours)) as string[]).size, 3)
    }

    const page = await open(url, { forcedColors: 'active' })
    const looks = `['good', 'busy', 'bad', 'idle'].map((mood) => {
    document.querySelector('.status').className = 'card status ' + mood
    const { backgroundColor, borderTopWidth, borderRadius } = getComputedStyle(document.querySelector('.lamp'))
    return borderTopWidth === '0px' ? 'unseen' : backgroundColor + borderRadius })`
    await page.locator('.lamp').first().waitFor()
    assert.is(new Set((await page.evaluate(looks)) as string[]).size, 4)
    assert.not.match(String(await page.evaluate(looks)), 'unseen')
  },
)

inBrowser('it weighs less than 60 kB', async () => {
  const html = await (await fetch((await startTarget()).url)).text()
  assert.ok(gzipSync(html).length < 60_000, `${gzipSync(html).length} bytes`)
})

test.run()

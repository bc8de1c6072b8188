import { accessProblems, type OpenPage } from '#support/browser/browser'
import { choose, says } from '#support/browser/browserOfSuite'
import { chooseWorld, roomPageSuite } from '#support/browser/roomPageSuite'
import { assert } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const suiteOfPage = roomPageSuite('the layout of the room page')
const { test, inBrowser, open, startTarget, openWorld } = suiteOfPage

const PERSIAN = 'شاهین ۲'
const PHONE = { width: 360, height: 640 }
const CODE = 'U/YNZE-U61D-2206-HXRG'

/** A room with as many players; the name of the second is written from right to left. */
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

const WAITING = { id: '9'.repeat(32), name: PERSIAN, vendor: 'LanternRoom 0.1.0', state: 'waiting' } as const

/** 22 worlds, every fourth of which is on this computer. */
const WORLDS = Array.from({ length: 22 }, (_, at) => ({
  endPoint: `127.0.0.1:${25_564 + at}`,
  motd: `World ${at}`,
  local: at % 4 === 1,
  isVerified: true,
  version: '1.21.4',
  onlinePlayers: 1,
  maxPlayers: 8,
  announced: true,
}))

async function openWithWorlds(url: string) {
  const page = await open(url, { viewport: PHONE })
  await page.route('**/game/servers', (route) => route.fulfill({ json: { servers: WORLDS } }))
  await page.reload()
  return page
}

const shownWorlds = (page: OpenPage) => page.locator('.world:visible strong').allInnerTexts()
/** Where everything is that can be pressed. */
const places = (page: OpenPage) =>
  page.evaluate(
    `JSON.stringify([...document.querySelectorAll('#content :is(button, input, summary)')].filter((one) => one.checkVisibility() && !one.closest('ul, .world'))
      .map((one) => [one.textContent, one.getBoundingClientRect().top]))`,
  )

inBrowser('22 worlds and 31 players stay compact, own worlds first and the shared one alone', async () => {
  const idle = await openWithWorlds((await startTarget()).url)
  await choose(idle, 'host')
  await idle.locator('.world').nth(5).waitFor()
  assert.equal(await shownWorlds(idle), ['World 1', 'World 5', 'World 9', 'World 13', 'World 17', 'World 21'])
  await idle.getByText('On other computers: 16').click()
  assert.is((await shownWorlds(idle)).length, 22)
  assert.equal(await accessProblems(idle), [])
  assert.ok(await idle.evaluate('document.body.scrollHeight < 2000'))

  const page = await openWithWorlds((await startHost(31)).url)
  await says(page, 'Player 30')
  assert.equal(await shownWorlds(page), ['World 1'])
  assert.ok(await page.evaluate('document.body.scrollHeight < 2400'))
  assert.equal(await accessProblems(page), [])
  await page.getByText('Share another world').click()
  await page.getByRole('radio').nth(5).waitFor()
  assert.is(await page.getByRole('radio').count(), 6)
})

/** Where a Persian name stands among other words. */
const strayNames = (page: OpenPage) =>
  page.evaluate(`[...document.querySelectorAll('#content :not(bdi)')].flatMap((one) => [...one.childNodes])
    .filter((one) => one.nodeType === 3 && one.data.includes('${PERSIAN}')).map((one) => one.data)`)

const VIEWPORTS = [PHONE, { width: 1280, height: 800 }]

/** 1280 × 720 when it is enlarged to 200 %, and a small phone. */
const SMALL = [
  { width: 640, height: 360 },
  { width: 360, height: 740 },
]

inBrowser(
  'the code, what copies it and its QR code are seen without scrolling, and people beside them',
  async () => {
    const page = await open((await startHost(3)).url)
    for (const viewport of [...SMALL, { width: 844, height: 390 }, ...VIEWPORTS]) {
      await page.setViewportSize(viewport)
      await page.locator('.scan img').waitFor()
      const ends = await page.evaluate(
        `['.code', '.copies button', '.scan img'].map((name) => document.querySelector(name).getBoundingClientRect().bottom)`,
      )
      assert.ok(Math.max(...(ends as number[])) <= viewport.height, JSON.stringify([viewport, ends]))
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width)
    }
    const [code, people] = [
      await page.locator('.code').boundingBox(),
      await page.locator('.people').boundingBox(),
    ]
    assert.ok((people?.x ?? 0) > (code?.x ?? 0) + (code?.width ?? 0))
    assert.ok((people?.y ?? 0) < (code?.y ?? 0) + (code?.height ?? 0))
  },
)

inBrowser(
  'both forms and their buttons are seen on a phone on its side, and people before the world',
  async () => {
    const page = await open((await startTarget()).url, { viewport: { width: 844, height: 390 } })
    for (const role of ['host', 'guest'] as const) {
      await choose(page, role)
      const ends = await page.evaluate(
        `[...document.querySelectorAll('form :is(input, textarea, button.large):not(details *)')].map((one) => one.getBoundingClientRect().bottom)`,
      )
      assert.ok(Math.max(...(ends as number[])) <= 390, JSON.stringify([role, ends]))
    }
    const phone = await open((await startHost(3)).url, { viewport: PHONE })
    const top = async (name: string) => (await phone.locator(name).boundingBox())?.y ?? 0
    assert.ok((await top('.code')) < (await top('.people')))
    assert.ok((await top('.people')) < (await top('.world-choice')))
  },
)

inBrowser('requests are above the code when there are any, and more of them move nothing', async () => {
  const { url, update } = await startHost(4)
  const page = await open(url)
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport)
    await says(page, CODE)
    assert.is(await page.locator('.requests').count(), 0)
    update({ guests: [WAITING] })
    await page.getByRole('button', { name: /^Let in/ }).waitFor()
    const [asking, code] = [page.locator('.requests'), page.locator('.code')]
    assert.ok(((await asking.boundingBox())?.y ?? 0) < ((await code.boundingBox())?.y ?? 0))
    const before = await places(page)
    const first = page.getByRole('button', { name: /^Let in/ }).first()
    const answer = await first.boundingBox()
    const more = Array.from({ length: 5 }, (_, at) => ({ ...WAITING, id: String(at).repeat(32) }))
    update({ guests: [WAITING, ...more] })
    await page.locator('.requests .count', { hasText: '6' }).waitFor()
    assert.equal([await places(page), await first.boundingBox()], [before, answer])
    assert.equal(await accessProblems(page), [])
    const last = page.getByRole('button', { name: /^Refuse/ }).last()
    await last.focus()
    assert.ok(await last.isVisible())
    assert.equal(await strayNames(page), [])
    await page.evaluate('document.activeElement.blur()')
    update({ guests: [] })
    await page.locator('.requests').waitFor({ state: 'detached' })
  }
})

inBrowser('who has come in and is not named yet counts before the room is closed', async () => {
  const { url, update } = await startHost(1)
  update({ guests: [{ ...WAITING, state: 'unregistered' }] })
  const page = await open(url)
  await page.locator('.others li').waitFor()
  await page.locator('.status-line > button').click()
  await page.getByRole('alertdialog').waitFor()
})

inBrowser('a player who leaves moves no other, and a name from right to left no words', async () => {
  const { url, players, update } = await startHost(4)
  const page = await open(url)
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport)
    update({ guests: [WAITING] })
    await page.getByRole('button', { name: /^Let in/ }).waitFor()
    const last = page.getByRole('button', { name: 'Remove Player 3 from the room' })
    await last.hover()
    const place = (await last.boundingBox())?.y
    update({ players: players.filter((_, at) => at !== 1) })
    await page.locator('.players .gone').waitFor()
    assert.is((await last.boundingBox())?.y, place)
    await says(page, `${PERSIAN} left`)
    assert.equal(await strayNames(page), [])
    await page.mouse.move(0, 0)
    await page.locator('.players .gone').waitFor({ state: 'detached' })
    update({ guests: [], players })
    await page.locator('.requests').waitFor({ state: 'detached' })
  }
})

inBrowser('a world that is found moves nothing, and its name from right to left no words', async () => {
  const page = await open((await startTarget()).url)
  await choose(page, 'host')
  const before = await places(page)
  await openWorld({ announced: true, motd: PERSIAN })
  await page.getByRole('radio', { name: PERSIAN }).waitFor()
  assert.is(await places(page), before)
  assert.equal(await strayNames(page), [])
})

inBrowser('a press shares the world that was on the screen when another one appears', async () => {
  const first = await openWorld()
  const { url, api } = await startTarget()
  const page = await open(url)
  await chooseWorld(page)
  await page.getByRole('button', { name: 'Open a room' }).hover()
  await page.mouse.down()
  await openWorld()
  const servers = async () => (await (await fetch(`${url}/game/servers`)).json()) as { count: number }
  await eventually(servers, ({ count }) => count === 2)
  await page.mouse.up()
  await says(page, 'Your room is open.')
  assert.is(api.roomState.view().gamePort, first.port)
})

inBrowser('codes are hidden from those who watch, and still copied', async () => {
  const { url } = await startHost(1)
  const page = await open(url)
  await page.getByText('Link for friends who have Lantern Room').click()
  await page.locator('.qr').waitFor()
  await page.getByLabel('Hide codes').check()
  await page.reload()
  await says(page, 'U/••••-••••-••••-••••')
  assert.not.match(`${await page.content()} ${await page.title()} ${page.url()}`, /YNZE|1\.ey/)
  await page.getByRole('button', { name: 'Copy the code only' }).click()
  await says(page, 'Copied')
  assert.is(await page.evaluate('navigator.clipboard.readText()'), CODE)

  const joining = await open((await startTarget()).url)
  await choose(joining, 'guest')
  await joining.getByText('More', { exact: true }).click()
  await joining.getByLabel('Hide codes').check()
  await joining.getByLabel('Room code').fill(CODE)
  await says(joining, 'Code found: U/••••-••••-••••-••••')
  assert.ok(await joining.locator('textarea.hidden').isVisible())
})

inBrowser('lamps differ by shape and border where colours are forced', async () => {
  const page = await open((await startTarget()).url, { forcedColors: 'active' })
  await page.locator('.lamp').first().waitFor()
  const looks = `['good', 'busy', 'bad', 'idle'].map((mood) => {
    document.querySelector('.status').className = 'card status ' + mood
    const { backgroundColor, borderTopWidth, borderRadius } = getComputedStyle(document.querySelector('.lamp'))
    return borderTopWidth === '0px' ? '' : backgroundColor + borderRadius }).filter(Boolean)`
  assert.is(new Set((await page.evaluate(looks)) as string[]).size, 4)
})

test.run()
